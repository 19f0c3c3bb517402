"""CA103."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ca_reports.facts.size_changes import is_zero_one_guard
from ca_reports.findings import Subject
from ca_reports.rules.base import PATTERN, Match, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_engine.guards import Guard
    from ca_reports.facts.events import RecompileFacts
    from ca_reports.facts.process import ProcessFacts


_SIZE = re.compile(r"([\w.\[\]]{1,200})\.size\(\)\[(\d{1,3})\]")


class ZeroOne(Rule):
    """A size was 0 or 1 in some steps.

    ## What it is

    A dynamic size (a batch, a length, an index) became 0 or 1, or was 0 or 1 when the graph
    was compiled.

    ## Why it costs

    One graph with a dynamic size serves every value but these two. A size of 1 broadcasts and
    one of 0 is empty, so Dynamo compiles separately for 0, for 1, and for 2 and up.

    ## Example

        for batch in [8, 6, 5, 1]:                  # 8, 6 and 5 share a graph, 1 does not
            backward(loss_of(model(inputs[:batch])))

    ## What to do

    Keep the size at 2 or more: drop or merge batches of one sample, pad lengths to at least 2,
    start indices at 2.

    ## Measured

    4 compiles of a captured graph became 2 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    It relies on the failed guard. A guard such as `2 <= …` fails for no other reason, but which
    of several inputs of equal size it names is up to torch.
    """

    code = "CA103"
    name = "zero-one"
    specificity = PATTERN + 2
    suggests_trial = "shapes"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        # What another call gives, such as a sample that begins with one token, is one cause with
        # the other sizes of that call (CA102).
        elsewhere = {
            found.compiled.key
            for size in facts.input_sizes
            if size.is_of_another_call
            for found in size.recompiles
        }
        found = [
            recompile
            for recompile in facts.recompiles
            if is_zero_one_guard(recompile.guard)
            and not _was_static(facts, recompile)
            and recompile.compiled.key not in elsewhere
            and recompile.compiled.key not in facts.inherent
        ]
        groups: dict[object, list[RecompileFacts]] = {}
        for recompile in found:
            frame = recompile.compiled.compile_id.rpartition("/")[0]
            groups.setdefault(frame, []).append(recompile)
        for group in groups.values():
            first = group[0]
            yield Match(
                message=(
                    f"a dynamic size was 0 or 1{_at(first)}, which needs its own compile: "
                    f"guard `{first.guard.text}` failed"
                ),
                fix=(
                    "keep this size at 2 or more: merge or drop batches of one sample, pad "
                    "lengths to 2 and mask what is added"
                ),
                events=tuple(event for recompile in group for event in recompile.events),
                noticed_at=first.line,
                evidence=tuple(recompile.evidence for recompile in group),
                key=first.guard.source or first.guard.kind,
                group=first.guard.text,
                subject=_subject(first.guard),
            )


def _subject(guard: Guard) -> Subject:
    """The dimension of the tensor that a guard like ``2 <= boxes.size()[0]`` is about."""
    shown = _SIZE.search(guard.text)
    return Subject() if shown is None else Subject(shown[1], (int(shown[2]),))


def _at(found: RecompileFacts) -> str:
    return "" if found.step is None else f" at step {found.step}"


def _was_static(facts: ProcessFacts, recompile: RecompileFacts) -> bool:
    """A first change of a size costs a compile anyway, whatever the value."""
    guard = recompile.guard
    if guard.kind != "size":
        return False
    frame = recompile.compiled.compile_id.rpartition("/")[0]
    earlier = [
        other
        for other in facts.recompiles
        if other.compiled.compile_id.rpartition("/")[0] == frame
        and other.guard.source == guard.source
    ]
    return earlier[0] is recompile
