"""Tells conditions that cannot have differed: both of two captures were made behind them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.program.scopes import COMPREHENSIONS
from ca_reports.program.syntax import LOOPS, FunctionNode, Site

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ca_reports.program.flow import Flow
    from ca_reports.run.model import Capture, Frame

# Calls between a step and what runs once in it.
_MAX_DEPTH = 14


def is_passed(
    condition: Site, site: Site, flow: Flow, pairs: Sequence[tuple[Capture, Capture]]
) -> bool:
    """Return whether ``condition`` let ``site`` run in both captures of each of ``pairs``.

    The calls of their backwards stand behind it too; or it is asked once a step, and lines behind
    it made nodes in both. A loop that takes the steps decides how many there are, and nothing else.
    """
    node = condition.node
    if any(node is loop.node for loop in flow.loops):
        return True
    if not isinstance(node, ast.If):
        return False
    behind = _behind(condition, site)
    if behind is None:
        return _ends_the_steps(condition, flow)
    module = condition.module

    def stands(frame: Frame) -> bool:
        return flow.program.modules.get(frame.file) is module and frame.line in behind

    if not pairs:
        return False
    if all(any(map(stands, one.stack)) for pair in pairs for one in pair):
        return True
    return _runs_once(condition, flow) and all(
        _lines(filter(stands, one.lines.values())) & _lines(filter(stands, other.lines.values()))
        for one, other in pairs
    )


def _lines(frames: Iterable[Frame]) -> set[int]:
    return {frame.line for frame in frames}


def _behind(condition: Site, site: Site) -> range | None:
    """Return the lines that run with ``site``, by this `if`; None if it comes later.

    Its branch, or of one that leaves what it stands in (`if …: continue`) the rest of that.
    """
    node = condition.node
    assert isinstance(node, ast.If)
    for branch in (node.body, node.orelse):
        if branch and site.line in (own := _span(branch)):
            return own
    parent = condition.module.parents.get(node)
    for name in ("body", "orelse", "finalbody"):
        block = getattr(parent, name, None)
        if isinstance(block, list) and node in block:
            rest = block[block.index(node) + 1 :]
            if rest and site.line in (own := _span(rest)):
                return own
    return None


def _span(block: list[ast.stmt]) -> range:
    return range(block[0].lineno, (block[-1].end_lineno or block[-1].lineno) + 1)


def _ends_the_steps(condition: Site, flow: Flow) -> bool:
    """Return whether it leaves a loop that takes the steps, after what a step computes."""
    parent = condition.module.parents.get(condition.node)
    return any(parent is loop.node for loop in flow.loops)


def _runs_once(site: Site, flow: Flow) -> bool:
    """Return whether ``site`` runs once in a step: in no loop, in what one call of the step runs.

    Of what runs more often, one round may take another branch than the next.
    """
    steps = {loop.node for loop in flow.loops}
    on_stack = {
        known.module.scope_at(frame.line)
        for frame in flow.stack
        if (known := flow.program.at(frame)) is not None
    }
    for _ in range(_MAX_DEPTH):
        for part in site.module.around(site.node):
            if isinstance(part, (*LOOPS, *COMPREHENSIONS)) and part not in steps:
                return False
            if isinstance(part, FunctionNode):
                break
        if site.scope in on_stack:
            return True
        if not isinstance(site.scope, FunctionNode):
            return False
        calls = [
            call for call in flow.callers(Site(site.module, site.scope)) if flow.is_in_steps(call)
        ]
        if len(calls) != 1:
            return False
        site = calls[0]
    return False
