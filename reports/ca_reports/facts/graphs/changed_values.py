"""Finds values that differ between two versions of a node, and nodes that are causes."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_reports.words.clean import shorten

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from ca_reports.facts.graphs.fx import FxGraph

# A number, a name with its module, a string, or any other single character.
_TOKEN = expression(r"-?\d[\d.]*(?:e[+-]?\d+)?|[A-Za-z_][\w.]*|'[^']*'|\S", re.ASCII)
_NUMBER = expression(r"-?\d+(?:\.\d*)?(?:e[+-]?\d+)?", re.ASCII)
# Numbers of inputs count on with every one that is put in before.
_POSITION = expression(r"\b(inputs|sizes|scalars|hooks)\[\d+\]")
_CHECK = "validate_outputs"  # its shapes are the node's own
_TENSOR, _SIZE = "tensor", "dynamic"
_MOST = 4
_LONGEST = 24
_MOST_TEXT = 20_000
_MOST_DIGITS = 40


@dataclass(frozen=True, slots=True)
class ValueChange:
    """A value of a node before and after: ``256 → 96``, ``None → tensor``, ``64 → dynamic``.

    ``in_shape`` says that it stands in the shape of an output, not in an argument.
    """

    before: str
    after: str
    in_shape: bool = False

    def __str__(self) -> str:
        """Return ``256 → 96``."""
        return f"{self.before} → {self.after}"


def value_changes(
    before: tuple[FxGraph, Collection[int], Sequence[str]],
    after: tuple[FxGraph, Collection[int], Sequence[str]],
    names: AbstractSet[str],
) -> tuple[ValueChange, ...]:
    """List what differs in the arguments and shapes of a node, each once, the first few.

    ``before`` and ``after`` are the graph, the node's members in it and the shapes of its
    outputs. ``names`` are those of nodes in either graph, which differ without a meaning.
    """
    found: dict[ValueChange, None] = {}
    if len(before[2]) == len(after[2]):
        for old, new in zip(before[2], after[2], strict=True):
            found.update(dict.fromkeys(_paired(old, new, names, in_shape=True)))
    statements = [_statements(graph, members) for graph, members, _ in (before, after)]
    if len(statements[0]) == len(statements[1]):
        for old, new in zip(*statements, strict=True):
            found.update(dict.fromkeys(_paired(old, new, names, in_shape=False)))
    # A size that an argument shares with a shape is the shape's.
    shapes = {(change.before, change.after) for change in found if change.in_shape}
    return tuple(
        change for change in found if change.in_shape or (change.before, change.after) not in shapes
    )[:_MOST]


def _statements(graph: FxGraph, members: Iterable[int]) -> list[str]:
    nodes = (graph.nodes[member] for member in members)
    return [
        node.text.partition(" = ")[2]
        for node in nodes
        if node.kind != "getitem" and node.target != _CHECK
    ]


def _paired(
    before: str, after: str, names: AbstractSet[str], *, in_shape: bool
) -> Iterable[ValueChange]:
    if before == after or max(len(before), len(after)) > _MOST_TEXT:
        return
    old, new = (_TOKEN.findall(_POSITION.sub(r"\1", text)) for text in (before, after))
    if len(old) != len(new):
        return
    for one, other in zip(old, new, strict=True):
        if one != other and not (one in names and other in names):
            was, now = _value(one, other, names), _value(other, one, names)
            yield ValueChange(was, now, in_shape)


def _value(token: str, other: str, names: AbstractSet[str]) -> str:
    if token in names:
        return _SIZE if _NUMBER.fullmatch(other) else _TENSOR
    return shorten(token, _LONGEST)


def causes(
    nodes: Sequence[tuple[str, Sequence[int], Sequence[ValueChange]]],
) -> tuple[bool, ...]:
    """Find the nodes that differ by themselves, and not because a node before them does.

    ``nodes`` are status, inputs and changed values, inputs before their users. A size follows
    where a shape before it, or any value on the way to it, changed by the same factor; a node
    that came, went or is wired otherwise follows from one of its inputs that differs.
    """
    shapes: set[Fraction] = set()
    on_the_way: list[frozenset[Fraction]] = []
    found = []
    for index, (status, inputs, values) in enumerate(nodes):
        earlier = [source for source in inputs if source < index]
        above = frozenset().union(*(on_the_way[source] for source in earlier))
        factors = {factor for value in values if (factor := _factor(value)) is not None}
        if status == "same":
            follows = True
        elif values:
            known = shapes | above
            follows = all(
                _factor(value) in known if _SIZE not in (value.before, value.after) else bool(known)
                for value in values
            )
        else:
            follows = any(nodes[source][0] != "same" for source in earlier)
        found.append(not follows)
        on_the_way.append(above | factors)
        shapes |= {_factor(value) for value in values if value.in_shape} - {None}  # type: ignore[arg-type]
    return tuple(found)


def _factor(value: ValueChange) -> Fraction | None:
    """Return by how much a number grew; None where one of the two is no number, or nothing."""
    if max(len(value.before), len(value.after)) > _MOST_DIGITS:
        return None
    if not (_NUMBER.fullmatch(value.before) and _NUMBER.fullmatch(value.after)):
        return None
    if "e" in value.before + value.after:  # 1e999999999 takes forever as a fraction
        return None
    before = Fraction(value.before)
    return Fraction(value.after) / before if before else None
