"""CA211."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.causes.located import branches
from ca_reports.causes.rules.base import SPECIFIC, Match, Rule, of_captures
from ca_reports.causes.rules.hooks import hook_count
from ca_reports.causes.rules.structure import (
    by_call,
    compared,
    forward_line,
    is_switch,
)
from ca_reports.words.values import listed, short_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.located.trail import Trail
    from ca_reports.causes.remedies import Remedy
    from ca_reports.facts.events import CaptureFacts
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.program.syntax import Site
    from ca_reports.run.model import Change

# What differs where the same nodes are wired in another way.
_MOVES = ("node", "next")


class Order(Rule):
    """The same operations are combined in another order.

    ## What it is

    Different losses or branches are summed, stacked or concatenated in a changing order: a
    shuffled list of tasks, a set, a dict filled in another order.

    ## Why it costs

    The autograd graph has the same nodes with other edges, and compiled autograd follows the
    edges. Each order that occurs is captured and compiled.

    ## Example

        tasks = random.sample(all_tasks, len(all_tasks))
        sum(task.loss(hidden) for task in tasks).backward()

    ## What to do

    Combine them in a fixed order, whatever order they were computed in: sort by name or by
    index before the sum.

    ## Measured

    3 captures and 3 compiles became 1 and 1 (torch 2.13.0, CPU). Identical branches can
    be shuffled freely: the graph stays the same.

    ## When the rule can be wrong

    Equal counts of every kind of node are strong evidence, not proof: two branches swapped
    inside the model look the same.
    """

    code = "CA211"
    name = "order"
    place = branches.order
    edits = ("one_order", "both_branches")
    needs_recorder = True
    located_in_forward = True

    @classmethod
    def remedy(cls, trail: Trail, site: Site | None) -> Remedy | None:
        """By what decides about the order: a branch, each way of which has its own."""
        if site is None or not isinstance(site.node, ast.If):
            return None
        return trail.finding.remedy.instead(
            "each branch combines in an order of its own: choose what differs first "
            "(`torch.where`), and run one path in every step"
        )

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        for group in by_call(found for found in compared(facts) if _reordered(found)):
            moved = _moved(group[0])
            yield Match(
                message=(
                    "the backward has the same nodes in another order"
                    f"{f': {listed(moved)} moved' if moved else ''}"
                ),
                fix=(
                    "sum, stack or concatenate in a fixed order in every step: sort what is "
                    "combined first"
                ),
                **of_captures(group),
                location=forward_line(group, lambda change: change.attribute in _MOVES),
                confidence="high" if group[0].changed("node") else "medium",
                key="order",
                specificity=SPECIFIC + 1,
                explains=_explains,
                shows=lambda _, change: change.attribute in _MOVES,
            )


def _reordered(found: CaptureFacts) -> bool:
    if not found.nodes or found.capture.autograd_truncated or found.added or found.removed:
        return False
    if found.changed("function") or any(is_switch(change) for change in found.changes):
        return False
    return any(change.index is not None for change in found.changed(*_MOVES))


def _explains(found: CaptureFacts, change: Change) -> bool:
    """Return whether an order explains a change: a node's own moves with it, counts don't."""
    assert found.closest is not None
    if change.attribute == "hooks":
        return hook_count(found) == hook_count(found.closest)
    if change.attribute == ".grad":
        return _gradients(found) == _gradients(found.closest)
    return True


def _gradients(found: CaptureFacts) -> int:
    return sum(bool(node.get("grad_defined")) for node in found.nodes)


def _moved(found: CaptureFacts) -> list[str]:
    """Return kinds of nodes that only one order has in a place; of rewired ones, the names."""
    nodes = [short_name(change.name) for change in found.changed("node")]
    nodes = [name for name in nodes if name != "AccumulateGrad"] or nodes
    return list(dict.fromkeys(nodes or [short_name(c.name) for c in found.changed("next")]))
