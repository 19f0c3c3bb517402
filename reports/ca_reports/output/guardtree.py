"""The guards of a compile: what must hold for its code to be run again.

Dynamo writes them as a tree (``dynamo_cpp_guards_str``, ``torch/_dynamo/guards.py``), one line
a guard, ``| | +- TENSOR_MATCH: check_tensor(L['inputs'][2], …)  # where it comes from``: for a
captured backward of a GPT 100 KB, most of it about attributes that no user sets.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from ca_engine import schema
from ca_engine.guards import as_written
from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_engine.redaction import redact_text
from ca_reports.words.clean import shorten

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_TOLD = 60
_GUARD = expression(r"^[| ]*\+- (?P<kind>[A-Z][A-Z0-9_]+)(?:: (?P<rest>.*))?$", re.M)
# A trace of `ca run` counts the guards that it leaves out of the tree.
_LEFT_OUT = expression(rf"^{schema.LEFT_OUT}(?P<number>\d{{1,9}}) (?P<kind>[A-Z][A-Z0-9_]+)$", re.M)
_LATENCY = expression(r"^Guard latency = (?P<latency>\d+(?:\.\d+)?) us", re.M)
_TENSOR = expression(
    r"^check_tensor\((?P<source>L\[.*?), (?P<type>[\w.]+), DispatchKeySet\([^)]*\), "
    r"torch\.(?P<dtype>\w+), device=(?P<device>\w+), requires_grad=(?P<grad>\w+), "
    r"size=\[(?P<size>[^\]]*)\], stride=\[(?P<stride>[^\]]*)\]\)"
)
# Said of every tensor, of torch's own functions, or of the whole process.
_PLUMBING = frozenset(
    (schema.MARKING_GUARD, "NO_TENSOR_ALIASING", "DEFAULT_DEVICE", "ID_MATCH",
     "TORCH_FUNCTION_MODE_STACK", "GLOBAL_STATE", "TYPE_MATCH", "TENSOR_ALIASING", "HASATTR")
)  # fmt: skip
_MAX_TEXT = 200


@dataclass(frozen=True, slots=True)
class Demand:
    """One guard in short: ``kind`` as torch names it, ``text`` what it wants.

    ``inputs[2] is float32[*, 64], requires_grad``: a ``*`` is a dimension that may differ.
    """

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class GuardTree:
    """The guards by kind, the cost of checking them all, and those that tell.

    ``seconds`` is torch's own measurement of one check of all of them. ``demands`` are those
    on values, sizes and tensors, in that order, without what is said of every tensor;
    ``left_out`` are beyond ``MAX_TOLD``.
    """

    counts: Mapping[str, int]
    seconds: float | None
    demands: tuple[Demand, ...]
    left_out: int

    @property
    def number(self) -> int:
        """Return all guards."""
        return sum(self.counts.values())


def parse(text: str) -> GuardTree:
    """Read the tree; what is no guard in it is skipped."""
    counts: Counter[str] = Counter()
    values: list[Demand] = []
    tensors: list[Demand] = []
    for found in _GUARD.finditer(text):
        kind = found["kind"]
        counts[kind] += 1
        if kind in _PLUMBING:
            continue
        wanted = (found["rest"] or "").partition("  #")[0].strip()
        tensor = _TENSOR.match(wanted)
        if tensor is not None:
            tensors.append(Demand(kind, _tensor(tensor)))
        elif "L[" in wanted:
            values.append(Demand(kind, shorten(redact_text(as_written(wanted)), _MAX_TEXT)))
    for left_out in _LEFT_OUT.finditer(text):
        counts[left_out["kind"]] += int(left_out["number"])
    latency = _LATENCY.search(text)
    told = [*values, *tensors]
    return GuardTree(
        dict(sorted(counts.items(), key=lambda kind: (-kind[1], kind[0]))),
        float(latency["latency"]) / 1e6 if latency is not None else None,
        tuple(told[:MAX_TOLD]),
        max(0, len(told) - MAX_TOLD),
    )


def _tensor(found: re.Match[str]) -> str:
    size = ", ".join("*" if part == "None" else part for part in found["size"].split(", "))
    source = as_written(found["source"])
    text = f"{source} is {found['dtype']}[{size}]"
    if found["device"] != "None":
        text += f" on device {found['device']}"
    return shorten(text + (", requires_grad" if found["grad"] == "True" else ""), _MAX_TEXT)
