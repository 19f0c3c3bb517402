"""Assigns each node of a folded graph to a module, as far as parameters tell.

A backward visits a module's operations on the way to the gradients of its parameters. A node
is therefore of the module whose parameter it leads to first; a node that leads to none, of the
module of the nearest parameter. Inside an AOT region the same holds for its operators.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.facts.graphs.folded import FoldedNode

# Between an AOT region and the module in it: ``aot0/blocks.1.attention``.
SEPARATOR = "/"


def with_groups(nodes: Sequence[FoldedNode]) -> list[FoldedNode]:
    """Return nodes, each with its ``group``; those of an AOT region have it in ``group`` already.

    ``inputs`` must still hold every edge: positions of earlier nodes.
    """
    led = _led_to(nodes)
    regions = _regions(nodes)
    known = [index for index, node in enumerate(nodes) if node.role == "accumulate"]
    known = [index for index in known if nodes[index].parameter]
    found = []
    for index, node in enumerate(nodes):
        owner = led[index] if led[index] is not None else _nearest(known, index)
        # What leads into a region, the loss, is of none of the modules in it.
        inside = owner is not None and regions[owner] == regions[index]
        module = nodes[owner].parameter.rpartition(".")[0] if owner is not None and inside else ""
        parts = [part for part in (regions[index], module) if part]
        group = SEPARATOR.join(parts)
        found.append(node if group == node.group else node.in_group(group))
    return found


def _regions(nodes: Sequence[FoldedNode]) -> list[str]:
    """Return the AOT region of each node; what only takes a gradient of a region is of it, too."""
    found: list[str] = []
    for node in nodes:
        sources = {found[source] for source in node.inputs} if node.role == "accumulate" else set()
        found.append(node.group or (sources.pop() if len(sources) == 1 else ""))
    return found


def _led_to(nodes: Sequence[FoldedNode]) -> list[int | None]:
    """For each node the accumulation it leads to whose gradient is there first, if any.

    When a gradient is there is told by the node that makes it: torch writes the accumulations
    of an AOT region after all of its operators.
    """
    made: list[tuple[int, int] | None] = [None] * len(nodes)
    for index in range(len(nodes) - 1, -1, -1):
        node = nodes[index]
        if node.role == "accumulate" and node.parameter:
            made[index] = (max(node.inputs, default=index), index)
        here = made[index]
        if here is None:
            continue
        for source in node.inputs:
            there = made[source]
            if there is None or here < there:
                made[source] = here
    return [None if found is None else found[1] for found in made]


def _nearest(known: Sequence[int], index: int) -> int | None:
    if not known:
        return None
    after = bisect_left(known, index)
    near = known[max(0, after - 1) : after + 1]
    return min(near, key=lambda found: (abs(found - index), -found))
