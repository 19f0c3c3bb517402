"""The guards whose failure made Dynamo compile again, taken apart.

Measured on torch 2.13.0. A reason is ``<id of the earlier compile>: <what failed>``, one for
each earlier compile of that code, the newest first. A guard on a Python value goes on with
the code that it came from, ``  # x = y ** k  # t/train.py:15 in fn``, and, where Dynamo kept
it, with ``User stack trace:`` and frames as in a traceback.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ca_reports.model import Frame

GuardKind = Literal[
    "size", "stride", "rank", "dtype", "requires_grad", "global_state", "type", "value", "other"
]

_START = re.compile(r"^(?P<id>!?\d+(?:/\d+){1,2}): ", re.M)
_TENSOR = re.compile(
    r"^tensor '(?P<source>.*?)' (?P<what>size|stride) mismatch(?: at index (?P<index>\d+)\. "
    r"expected (?P<expected>-?\d+), actual (?P<actual>-?\d+))?"
)
_TENSOR_OTHER = re.compile(
    r"^tensor '(?P<source>.*?)' (?P<what>rank|dtype|requires_grad)\b(?P<rest>.*)$"
)
_EXPECTED = re.compile(r"expected (?P<expected>[^,]+?)[,.]? (?:actual|got) (?P<actual>.+?)\.?$")
_TYPE = re.compile(r"^expected type of '(?P<source>.*?)' to be (?P<rest>.*)$")
_TYPE_ID = re.compile(r"^___check_type_id\((?P<source>.+), \d+\)(?:, type=(?P<type>.*))?$")
_GLOBAL = re.compile(r"^GLOBAL_STATE changed: *(?P<rest>.*)$")
# Python expressions over the inputs: `s.slope == 0.1`, `2 <= inputs[1].size()[0]`.
_EQUALS = re.compile(r"^(?P<source>[^=<>!]+?) == (?P<expected>.+)$")
_COMPARED = re.compile(r"(?:==|!=|<=|>=|<|>| is | in |\bnot\b|^___check)")
_FRAME = re.compile(
    r'^ *File "(?P<file>[^"\n]*)", line (?P<line>\d{1,9}), in (?P<function>[^\n]*)'
    r"(?:\n(?! *File \")(?P<code> +[^\n]*))?",
    re.M,
)
_MAX_FRAMES = 50
_SIZES: dict[str, GuardKind] = {"size": "size", "stride": "stride"}
_OTHERS: dict[str, GuardKind] = {
    "rank": "rank",
    "dtype": "dtype",
    "requires_grad": "requires_grad",
}


@dataclass(frozen=True, slots=True)
class Guard:
    """One failed guard.

    ``text`` is torch's own, without the id of the earlier compile (``failed``) before it
    and without what comes after ``  #``. ``source`` is the guarded thing (``inputs[1]``,
    ``sizes[0]``, ``self.slope``), for global state what differs. ``index`` is the dimension
    of a size or stride; ``expected``/``actual`` are the values as torch writes them, the
    second unknown for a Python value. ``stack`` is the user's code that the guard came from,
    outermost first; empty if Dynamo did not keep it.
    """

    text: str
    kind: GuardKind
    failed: str | None = None
    source: str = ""
    index: int | None = None
    expected: str | None = None
    actual: str | None = None
    stack: tuple[Frame, ...] = ()


def parse(reason: str) -> tuple[Guard, ...]:
    """All failed guards of a ``recompile_reason``, in torch's order; never raises, never empty."""
    starts = [found.start() for found in _START.finditer(reason)]
    if not starts or starts[0] != 0:
        starts.insert(0, 0)
    ends = [*starts[1:], len(reason)]
    parts = [reason[start:end] for start, end in zip(starts, ends, strict=True)]
    return tuple(_parse_one(part) for part in parts if part.strip()) or (Guard("", "other"),)


def _parse_one(part: str) -> Guard:
    found = _START.match(part)
    failed = found["id"] if found else None
    rest = part[found.end() :] if found else part
    line, _, after = rest.strip().partition("\n")
    text = line.partition("  #")[0].strip()
    stack = tuple(
        Frame(
            frame["file"],
            int(frame["line"]),
            frame["function"].strip(),
            (frame["code"] or "").strip(),
        )
        for frame, _ in zip(_FRAME.finditer(after), range(_MAX_FRAMES), strict=False)
    )
    if tensor := _TENSOR.match(text):
        return Guard(
            text,
            _SIZES[tensor["what"]],
            failed,
            tensor["source"],
            None if tensor["index"] is None else int(tensor["index"]),
            tensor["expected"],
            tensor["actual"],
            stack,
        )
    if tensor := _TENSOR_OTHER.match(text):
        values = _EXPECTED.search(tensor["rest"])
        expected, actual = (values["expected"], values["actual"]) if values else (None, None)
        kind = _OTHERS[tensor["what"]]
        return Guard(text, kind, failed, tensor["source"], None, expected, actual, stack)
    if typed := _TYPE.match(text):
        return Guard(text, "type", failed, typed["source"], stack=stack)
    if typed := _TYPE_ID.match(text):
        return Guard(text, "type", failed, typed["source"], None, typed["type"], None, stack)
    if state := _GLOBAL.match(text):
        return Guard(text, "global_state", failed, state["rest"].strip(), stack=stack)
    if equal := _EQUALS.match(text):
        source, expected = equal["source"].strip(), equal["expected"].strip()
        return Guard(text, "value", failed, source, None, expected, None, stack)
    return Guard(text, "value" if _COMPARED.search(text) else "other", failed, stack=stack)
