"""CA402."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.rules.base import SPECIFIC, Match, capture_events
from ca_reports.causes.rules.cascades import cascades, what_changed
from ca_reports.causes.rules.guard_advice import detail_of, edits_for, fix_for
from ca_reports.causes.rules.of_guards import ReadingGuards
from ca_reports.sentences.limits import pace
from ca_reports.words.numbers import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.events import CaptureFacts
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.run.model import Compile

# What a capture after the limit may differ in and still be its consequence: these are
# set between steps and not by the forward that runs uncompiled now.
_FOREIGN = frozenset((".grad", "hooks", "requires_grad"))


class AfterLimit(ReadingGuards):
    """The forward hit Dynamo's recompile limit and runs uncompiled, and captures go on.

    ## What it is

    A guard of the forward failed so often that Dynamo gave up (`recompile_limit`, 8 by
    default) and has run this code uncompiled since.

    ## Why it costs

    The compiled forward's speed is lost. Its backward now consists of eager nodes, which save
    the value that used to fail the guard: compiled autograd keeps capturing, once for each
    value, and no limit stops it.

    ## Example

        for step in range(100):
            model.slope = 0.5 - 0.004 * step
            backward(compiled(x).sum())  # 8 compiles, then a capture in every step

    ## What to do

    As for CA401: fix the guard that the finding names. A higher limit only makes it happen
    later, and every step until then is slow.

    ## Measured

    After the limit, one capture and one compile in every step; none once the value is a tensor
    (torch 2.13.0, CPU).

    ## When the rule can be wrong

    The limit itself is certain: the log says so. A later capture is counted as its consequence
    if it contains no AOT backward, which can hide another cause in the same steps.
    """

    code = "CA402"
    name = "after-limit"
    edits = ("tensor_number", "dynamic_ints")
    specificity = SPECIFIC + 8
    suggests_trial = "shapes"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        if not facts.captures:
            return  # forwards alone: the rule of the guard says it
        for cascade in cascades(facts):
            thing, caused = cascade.thing, cascade.caused
            if thing.limit is None:
                continue
            after = _after(facts, thing.limit)
            captures = {found.capture.id: found for found in (*caused, *after)}
            yield Match(
                message=(
                    f"the forward hit the recompile limit after "
                    f"{counted(thing.times, 'recompile')} and runs uncompiled"
                    f"{_slower(facts, thing.limit)}; "
                    f"{counted(len(after), 'capture')} since: "
                    f"{what_changed(thing)}"
                ),
                fix=fix_for(thing),
                detail=detail_of(thing),
                edits=edits_for(thing),
                events=(
                    *(found.compiled for found in thing.recompiles),
                    *capture_events(tuple(captures.values())),
                ),
                noticed_at=thing.location,
                evidence=(*cascade.evidence, *(found.evidence for found in after)),
                key=thing.source or thing.guard.kind,
                group="" if thing.source else thing.guard.text,
                chain=f"{cascade.chain} → the recompile limit is hit ({thing.limit.compile_id}) → "
                "the forward runs uncompiled → each value is captured",
                count=thing.times,
            )


def _slower(facts: ProcessFacts, given_up: Compile) -> str:
    limit = facts.limit_of(given_up)
    return "" if limit is None else pace(limit)


def _after(facts: ProcessFacts, limit: Compile) -> tuple[CaptureFacts, ...]:
    """Return the captures since the limit of the code that runs uncompiled now."""
    regions = max((_regions(found) for found in facts.captures), default=0)
    return tuple(
        found
        for found in facts.recaptures
        if limit.time is not None
        and found.capture.time is not None
        and found.capture.time >= limit.time
        and _regions(found) < max(regions, 1)
        and not found.attributes & _FOREIGN
    )


def _regions(found: CaptureFacts) -> int:
    """Count the AOT backwards in a capture."""
    return sum("aot_id" in node for node in found.nodes)
