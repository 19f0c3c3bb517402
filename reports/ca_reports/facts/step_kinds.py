"""Reads from a compile's tree of guards which functions it calls, on which parameters.

Two compiles of one function that differ in these are for steps of different kinds, as those of two
tasks by turns.
"""

from __future__ import annotations

import re
from collections import defaultdict
from hashlib import blake2b
from typing import TYPE_CHECKING

from ca_engine.guards import as_written
from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_reports.facts.guard_paths import guard_path
from ca_reports.facts.tree_lines import branches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_CODE = expression(
    r"\+- ID_MATCH: (?P<text>___check_obj_id\((?P<source>[^\n]{1,300}?)\.__code__, "
    r"(?P<value>\d{1,20})\)[^\n]{0,200})"
)
_PARAMETER = expression(
    r"\+- TENSOR_MATCH: check_tensor\((?P<source>[LG]\[[^\n]{1,400}?\._parameters\['\w{1,200}'\]), "
    r"\w{1,100}, DispatchKeySet\([^)\n]{0,500}\), torch\.\w{1,30}, device=\w{1,9}, "
    r"requires_grad=\w{1,5}, size=\[(?P<size>[^\]\n]{0,300})\]"
)
# A word, or a whole number, also one that Dynamo would have made dynamic; floats are computed with,
# and select nothing.
_VALUE = expression(
    r"\+- (?:EQUALS_MATCH|LAMBDA_GUARD): (?P<text>(?P<source>[LG]\['\w{1,200}'\][^\n=]{0,300}?) == "
    r"(?P<value>'[^'\n]{0,200}'|-?\d{1,20})(?= |$)[^\n]{0,1000})",
    re.M,
)
_FLAG = expression(
    r"\+- ID_MATCH: (?P<text>___check_obj_id\((?P<source>[LG]\['\w{1,200}'\][^\n]{0,300}?), "
    r"(?P<value>\d{1,20})\), type=<(?:enum [^\n>]{1,200}|class 'bool')>[^\n]{0,1000})"
)


@dataclass(frozen=True, slots=True)
class Kind:
    """What one compile of a function does.

    ``step`` tells it from other kinds: the functions that are called, and the parameters that are
    read, with their sizes. ``work`` is the same without their places: equal where what was selected
    is of the same sizes, so that one graph could have served both. ``sizes`` are those of the
    parameters alone. ``selecting`` maps what may select to its value and the text of its guard, the
    likeliest first; ``given`` are the arguments that are modules, each with a digest of its
    parameters' sizes.
    """

    step: bytes
    work: bytes
    sizes: bytes
    selecting: Mapping[str, tuple[str, str]]
    given: Mapping[str, bytes]


def kind_of(tree: str) -> Kind:
    """Read what a compile does from its tree of guards."""
    functions = {found["value"] for found in branches(_CODE, tree)}
    parameters = set(parameters_of(tree))
    given: dict[str, list[str]] = defaultdict(list)
    for source, size in parameters:
        path = guard_path(source)
        if path.steps and not (path.is_global or path.is_of_own):
            given[path.root].append(f"{source} {size}")
    return Kind(
        step=_digest((*functions, *(f"{source} {size}" for source, size in parameters))),
        work=_digest((*functions, *(size for _, size in parameters))),
        sizes=_digest(size for _, size in parameters),
        selecting=dict(_selecting(tree)),
        given={name: _digest(own) for name, own in sorted(given.items())},
    )


def parameters_of(tree: str) -> Iterator[tuple[str, str]]:
    """Yield each parameter that is guarded, and its sizes."""
    for found in branches(_PARAMETER, tree):
        yield as_written(found["source"]), found["size"]


def _selecting(tree: str) -> Iterator[tuple[str, tuple[str, str]]]:
    for pattern, is_code in ((_VALUE, False), (_FLAG, False), (_CODE, True)):
        for found in branches(pattern, tree):
            source = as_written(found["source"])
            # A function by another name is another function; one of the same name was given.
            path = guard_path(source)
            if path.attribute == "training" or (is_code and not path.is_variable):
                continue
            name = f"{source}.__code__" if is_code else source
            yield name, (found["value"], as_written(found["text"]))


def _digest(parts: Iterable[str]) -> bytes:
    return blake2b("\n".join(sorted(parts)).encode(), digest_size=16).digest()
