"""CA204."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.findings import CarriedState
from ca_reports.causes.located import branches
from ca_reports.causes.rules.base import PATTERN, Match, Rule, of_captures
from ca_reports.causes.rules.structure import (
    by_call,
    makes_other_nodes,
    root_variable,
)
from ca_reports.facts.events import ACCUMULATE_GRAD
from ca_reports.words.numbers import times
from ca_reports.words.values import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.facts.events import CaptureFacts
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.run.model import Change, Frame

# A run of fewer captures shows no pattern.
_LEAST = 3


class GrowingGraph(Rule):
    """Something is never detached, so each backward walks the graphs of all earlier steps.

    ## What it is

    A running total of the loss, a hidden state or a memory keeps the autograd graph that
    computed it and is used in the next step.

    ## Why it costs

    No two backwards are alike: a capture and a compile in every step, each longer than the
    last, and memory that grows.

    ## Example

        total = total + loss                       # carries all graphs so far
        (loss + 0.01 * total).backward(retain_graph=True)

    ## What to do

    `.detach()` what one step passes to the next, or use `.item()` if it is only printed. Then
    `retain_graph=True` is not needed either.

    ## Measured

    10 captures and 10 compiles in 10 steps became 1 and 1 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    The rule needs nodes made before the previous captured backward, and growth from capture
    to capture. Intended back-propagation through time with a growing window looks the same.
    """

    code = "CA204"
    name = "growing-graph"
    place = branches.carried_state
    edits = ("detach_state",)
    specificity = PATTERN
    needs_recorder = True
    located_in_forward = True

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        for group in by_call(facts.captures):
            windows = _growing(group)
            longest = max(windows, key=len, default=[])
            if len(longest) < _LEAST:
                continue
            recaptures = [
                found for window in windows for found in window if found.capture.is_recapture
            ]
            sizes = [str(found.capture.autograd_nodes) for found in longest]
            last = longest[-1]
            root = root_variable(last)
            carriers = _carriers(last)
            whose = f" of `{root}`" if root else ""
            what = listed([f"`{name}`" for name in carriers])
            often = f", {times(len(windows))}" if len(windows) > 1 else ""
            yield Match(
                message=(
                    f"the backward{whose} grows in every step: "
                    f"{' → '.join(sizes[:4])}{' → …' if len(sizes) > 4 else ''} autograd nodes, "
                    f"in the end {last.capture.carried_nodes} of them from earlier steps{often}"
                ),
                fix=(
                    f"detach what one step passes to the next"
                    f"{f', likely {what}' if carriers else ''}: `.detach()`, or `.item()` where "
                    "only the number is needed"
                ),
                **of_captures(recaptures),
                location=_bridge(last),
                key="growing-graph",
                detail=CarriedState(tuple(carriers)),
                explains=_grows,
            )


def _grows(found: CaptureFacts, change: Change) -> bool:
    """Return whether it may be a node of one step more: those gather no gradient of a new leaf."""
    return makes_other_nodes(found, change) and change.name != ACCUMULATE_GRAD


def _growing(group: Sequence[CaptureFacts]) -> list[list[CaptureFacts]]:
    """Return the runs of captures that each have more nodes than the one before, and carried ones.

    The first of a run may be without. Beside a long one a short one counts: what was emptied
    grows again, and its first steps may hit what was captured before.
    """
    runs: list[list[CaptureFacts]] = []
    for found in group:
        before = runs[-1][-1].capture if runs else None
        carries = (found.capture.carried_nodes or 0) > 0
        if (
            carries
            and before is not None
            and (found.capture.autograd_nodes or 0) > (before.autograd_nodes or 0)
        ):
            runs[-1].append(found)
        else:
            runs.append([found])
    long = any(len(run) >= _LEAST for run in runs)
    return [
        run
        for run in runs
        if len(run) >= _LEAST or (long and (run[0].capture.carried_nodes or len(run) > 1))
    ]


def _bridge(found: CaptureFacts) -> Frame | None:
    """Find the line that made a node whose gradient goes to one of an earlier step."""
    carried = {node.get("index") for node in found.nodes if node.get("carried")}
    lines = found.capture.lines
    return next(
        (
            lines[node["index"]]
            for node in found.nodes
            if not node.get("carried")
            and node.get("index") in lines
            and carried.intersection(node.get("next", ()))
        ),
        None,
    )


def _carriers(found: CaptureFacts) -> list[str]:
    """Find what carries the graph of a step into the next: a variable, an attribute, a container.

    What still holds the tensor of an earlier step at which this step's graph ends, an entry of a
    container, say. Else what holds the result of a node of this step that leads there: an
    attribute, which outlives the step, else of several variables the one nearest to those nodes,
    which the backward visits last. The tensor that backward was called on is left out unless
    nothing else is known.
    """
    carried = {node.get("index") for node in found.nodes if node.get("carried")}
    leads: set[object] = set(carried)
    ends: list[str] = []
    names: list[str] = []
    bridged = {
        index
        for node in found.nodes
        if not node.get("carried")
        for index in node.get("next", ())
        if index in carried
    }
    # Users are numbered before what they use, so from the last node on `leads` is complete.
    for node in reversed(found.nodes):
        held = [str(name) for name in node.get("variables", ()) if name]
        if node.get("index") in bridged:
            ends += held
        if node.get("carried"):
            continue
        if any(index in leads for index in node.get("next", ())):
            leads.add(node.get("index"))
            names += held if node.get("index") != 0 else []
    own = [name for name in names if name != root_variable(found)]
    lasting = [name for name in own if "." in name or "[" in name]
    return [_holder(name) for name in (ends or lasting or own or names)[:1]]


def _holder(name: str) -> str:
    """Return ``memory`` for ``memory[3]``, whose number is another one in each step."""
    holder, _, key = name.partition("[")
    return holder if key[:1].isdigit() else name
