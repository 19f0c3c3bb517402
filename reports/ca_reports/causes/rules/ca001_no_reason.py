"""CA001."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.version import RECORDED_WITH
from ca_reports.causes.rules.base import FALLBACK, Match, Rule, of_captures, of_compiles
from ca_reports.causes.rules.structure import by_call
from ca_reports.sentences.compiles import function_of
from ca_reports.words.numbers import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.events import RecompileFacts
    from ca_reports.facts.process import ProcessFacts


class NoReason(Rule):
    """Something was captured or compiled again, and the log does not hold the reason.

    ## What it is

    Torch writes why it captures a backward again only with
    `TORCH_LOGS=compiled_autograd_verbose`, and a log may have lost the record, or its end, where
    the guards stand for which a function was compiled again. How often it happened is known, and
    what it cost if the log has times; the cause is not.

    ## Why it costs

    The step waits while the backward is captured and compiled.

    ## Example

        TORCH_TRACE=trace python train.py     # no reasons in this log

    ## What to do

    Record with `ca run train.py` under torch 2.8 or later, which compares the autograd graphs and
    names the cause and the line. Where that is not possible, set
    `TORCH_LOGS=compiled_autograd_verbose`: the program's stderr then has the reasons, from torch
    2.7 on also the trace.

    ## Measured

    Nothing: it is the log that lacks something.

    ## When the rule can be wrong

    It is silent where the log has a reason, or where `ca run` compared the graphs.
    """

    code = "CA001"
    name = "no-reason"
    specificity = FALLBACK + 1

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        """Yield a match for each place that calls backward."""
        captures = [
            found
            for found in facts.recaptures
            if found.capture.reason is None and not found.changes
        ]
        for group in by_call(captures):
            yield Match(
                message=(
                    f"{counted(len(group), 'backward')} recaptured, and this log does not hold "
                    "the reason"
                ),
                fix=(
                    f"record with `ca run` under {RECORDED_WITH}, which names the cause; or set "
                    "TORCH_LOGS=compiled_autograd_verbose, and give `ca` the text"
                ),
                **of_captures(group),
                confidence="high",
                key="no reason",
            )
        yield from _of_recompiles(facts)


def _of_recompiles(facts: ProcessFacts) -> Iterator[Match]:
    """Match functions that were compiled again, in a log that was cut before it says why."""
    groups: dict[str, list[RecompileFacts]] = {}
    for found in facts.recompiles:
        if not found.guard.text:
            groups.setdefault(function_of(found.compiled), []).append(found)
    for function, group in groups.items():
        yield Match(
            message=(
                f"{counted(len(group), 'recompile')} of {function}, and this log does not hold the "
                "guards that failed"
            ),
            fix=(
                "record with `ca run`, which names the cause; or take the whole of what "
                "TORCH_LOGS=recompiles writes"
            ),
            **of_compiles(group, group[0].line),
            confidence="high",
            key=function,
        )
