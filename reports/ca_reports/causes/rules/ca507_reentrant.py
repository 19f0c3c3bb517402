"""CA507."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ca_reports.causes.located import modes
from ca_reports.causes.rules import breaking
from ca_reports.causes.rules.base import PATTERN, Match, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ca_reports.causes.rules.breaking import BackwardBreak
    from ca_reports.facts.process import ProcessFacts


class Reentrant(Rule):
    """A backward starts another backward, which splits the compiled one.

    ## What it is

    A hook, or the `backward` of an `autograd.Function`, calls `torch.autograd.grad` or
    `backward`. The best-known case is `checkpoint(…, use_reentrant=True)`, which recomputes
    the forward and runs a backward through it. Dynamo does not trace that
    (`torch._dynamo.config.trace_autograd_ops` is False), so the compiled backward breaks there.

    ## Why it costs

    The graph is in pieces, and the inner backward runs eagerly in each step: while a captured
    graph runs, nothing else is captured.

    ## Example

        hidden = checkpoint(block, hidden, use_reentrant=True)

    ## What to do

    Use `use_reentrant=False`, inside a forward that is compiled with `aot_eager` or `inductor`
    (see CA502): the backend `eager` compiles no backward, and the breaks stay. In your own
    Function, write the derivative out, or compute in the forward what the backward needs.

    ## Measured

    1 capture and 4 to 8 compiled graphs; without the inner backward, one of each. Three blocks,
    breaks in the backward: 4 reentrant, 9 with `use_reentrant=False` alone or in a forward of
    backend `eager`, 0 in one of `aot_eager`.

    ## When the rule can be wrong

    If the time goes into the inner backward, splitting the graph around it costs little.
    """

    code = "CA507"
    name = "reentrant"
    place = modes.reentrant_checkpoint
    edits = ("checkpoint_alike",)
    specificity = PATTERN + 10  # a recompile after a break is the break's
    located_in_forward = True

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        checkpoints, calls = [], []
        for found in breaking.backward_breaks(facts):
            if found.skipped == breaking.REENTRANT:
                checkpoints.append(found)
            elif _starts_backward(found):
                calls.append(found)
        if checkpoints:
            found_here = breaking.match(
                facts,
                checkpoints,
                "checkpoint with use_reentrant=True runs another backward",
                "call `checkpoint(…, use_reentrant=False)` inside "
                f"{breaking.of_compiled_forward(facts)}",
                key="checkpoint",
                belongs=_is_checkpoint,
            )
            again = breaking.recomputed(facts, checkpoints)
            yield replace(
                found_here,
                events=(*found_here.events, *(change.recompile.compiled for change in again)),
            )
        for found in calls:
            function = found.line.function if found.line is not None else ""
            yield Match(
                message=(
                    f"`{function or 'a function'}` starts a backward inside the compiled one, "
                    "which is split there"
                ),
                fix=(
                    "write the derivative out (a closed form), or do the inner steps in the "
                    "forward: no `torch.autograd.grad` and no `.backward()` inside a backward; "
                    "else call this backward without compiled autograd "
                    "(`torch._dynamo.compiled_autograd._disable()`)"
                ),
                events=breaking.events_of(facts, [found]),
                noticed_at=found.line,
                evidence=breaking.evidence_of(facts, [found]),
                count=found.found.count,
            )


def _is_checkpoint(node: Mapping[str, Any]) -> bool:
    return node.get("name") == "CheckpointFunctionBackward"


def _starts_backward(found: BackwardBreak) -> bool:
    return "trace_autograd_ops" in found.text or found.skipped in ("backward", "grad")
