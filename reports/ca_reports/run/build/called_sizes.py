"""The records of ``ca_sizes`` of one process, read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ca_reports.logs.fields import duration, integer, items, text
from ca_reports.run.model import GraphSizes

if TYPE_CHECKING:
    from collections.abc import Mapping

# As many as are recorded of one process, and in one graph.
MAX_GRAPHS = 512
_MAX_SETS = 4096
_MAX_INPUTS = 32
_MAX_DIMENSIONS = 64


def read_sizes(raw: Mapping[str, Any]) -> GraphSizes | None:
    """Return the sizes of one graph's calls; None if the record is broken."""
    graph = text(raw.get("graph"))
    symbols = [text(one) for one in items(raw.get("symbols"))]
    columns = [_column(raw, name) for name in ("sizes", "calls", "steps", "seconds")]
    if not graph or len(graph) > _MAX_DIMENSIONS or None in symbols:
        return None
    if not columns[0] or len({len(column) for column in columns}) > 1:
        return None
    sizes, calls, steps, seconds = columns
    sets = [tuple(integer(one) for one in items(found)) for found in sizes]
    counts = [integer(one) for one in calls]
    if any(len(found) != len(symbols) or None in found for found in sets):
        return None
    if any(count is None or count < 0 for count in counts):
        return None
    return GraphSizes(
        graph=graph,
        inputs=_inputs(raw.get("inputs")),
        symbols=tuple(one for one in symbols if one is not None),
        sizes=tuple(tuple(one for one in found if one is not None) for found in sets),
        calls=tuple(count for count in counts if count is not None),
        steps=tuple(map(duration, steps)),
        seconds=tuple(map(duration, seconds)),
        digits=integer(raw.get("digits")),
        left_out=max(0, integer(raw.get("left_out")) or 0),
        first_call=integer(raw.get("first_call")),
        last_call=integer(raw.get("last_call")),
    )


def _column(raw: Mapping[str, Any], name: str) -> list[Any]:
    return items(raw.get(name))[:_MAX_SETS]


def _inputs(raw: object) -> dict[str, tuple[int | str, ...]]:
    if not isinstance(raw, dict):
        return {}
    found: dict[str, tuple[int | str, ...]] = {}
    for name, shape in list(raw.items())[:_MAX_INPUTS]:
        read = [_size(one) for one in items(shape)[:_MAX_DIMENSIONS]]
        known = text(name)
        if known and None not in read:
            found[known] = tuple(one for one in read if one is not None)
    return found


def _size(value: object) -> int | str | None:
    return text(value) if isinstance(value, str) else integer(value)
