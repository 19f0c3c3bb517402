"""CA401."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.causes.rules.base import GENERAL, SPECIFIC, Match, capture_events
from ca_reports.causes.rules.cascades import Cascade, cascades, what_changed
from ca_reports.causes.rules.guard_advice import detail_of, edits_for, fix_for
from ca_reports.causes.rules.of_guards import ReadingGuards, following
from ca_reports.words.numbers import agreeing, counted, times

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.process import ProcessFacts


class ForwardCascade(ReadingGuards):
    """The forward is recompiled, and each new forward brings a new backward.

    ## What it is

    A guard of the compiled forward fails: a Python value, a type or a flag that the forward
    depends on has changed since it was compiled.

    ## Why it costs

    One failed guard costs three times: Dynamo recompiles the forward, compiled autograd captures
    the backward, as the new forward's AOT backward is a new node, and Dynamo compiles the
    captured graph. At the recompile limit the forward runs uncompiled (CA402).

    ## Example

        model.slope = 0.5 - 0.1 * step
        backward(compiled(x).sum())      # forward: leaky_relu(x, self.slope)

    ## What to do

    Fix the guard that the finding names; the backward follows. Make a changing number a tensor
    (a buffer filled in place); keep a flag or a type the same in every step.

    ## Measured

    9 captures, 9 compiles of captured graphs and 9 of the forward became 1, 1 and 1; with an
    annealed slope of `leaky_relu` 12, 12 and 9 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    The recompile and the capture are linked because they happened in one step and the AOT
    backward was replaced. Guards on sizes, strides and global state have their own rules.
    """

    code = "CA401"
    name = "forward-cascade"
    edits = ("tensor_number", "dynamic_ints")
    specificity = SPECIFIC + 5
    suggests_trial = "shapes"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        for cascade in cascades(facts):
            if cascade.caused:
                yield _match(cascade, facts)
        for thing in facts.coinciding:
            beside = Cascade(thing)
            if beside.caused:
                yield replace(
                    _match(beside, facts), is_beside=True, specificity=GENERAL, chain=None
                )


def _match(cascade: Cascade, facts: ProcessFacts) -> Match:
    thing, caused = cascade.thing, cascade.caused
    again = f" {times(thing.times)}" if thing.times > 1 else ""
    several = counted(len(caused), "new backward")
    backwards = agreeing(len(caused), "a new backward", several)
    return Match(
        message=(
            f"the forward was recompiled{again}, which brought {backwards}: {what_changed(thing)}"
        ),
        fix=fix_for(thing),
        detail=detail_of(thing),
        edits=edits_for(thing),
        events=(*(found.compiled for found in thing.recompiles), *capture_events(caused)),
        noticed_at=thing.location,
        evidence=(*cascade.evidence, *following(thing, facts)),
        key=thing.key,
        group="" if thing.source else thing.guard.text,
        chain=cascade.chain,
        count=thing.times,
    )
