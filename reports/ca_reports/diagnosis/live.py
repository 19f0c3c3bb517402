"""The analysis of a run that goes on, for as long as somebody watches it."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.costs.ranks import compare_ranks
from ca_reports.diagnosis.analysis import analyze, price
from ca_reports.facts.costs import Costs
from ca_reports.facts.process import all_facts
from ca_reports.facts.summary import summarize
from ca_reports.run.model import Run

if TYPE_CHECKING:
    from collections.abc import Callable

    from ca_reports.diagnosis.analysis import Analysis

# Diagnosing starts again when so many seconds have passed, and so many times what it took.
_PAUSE = 3.0
_TIMES = 9.0


class LiveAnalysis:
    """Analyzes a growing run; its counts and costs are always new, its findings nearly.

    Diagnosing reads every graph and takes time in proportion to the whole run, so it happens every
    few seconds at most and takes no more than a tenth of the time.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """``clock`` counts seconds."""
        self._clock = clock
        self._last: Analysis | None = None
        self._due = 0.0

    def look(self, run: Run, *, afresh: bool = False) -> Analysis:
        """Analyze ``run`` as it is now; ``afresh`` diagnoses it whatever the time."""
        begun = self._clock()
        if afresh or self._last is None or begun >= self._due:
            self._last = None  # before there is another
            analysis = analyze(run)
            for known in analysis.facts:
                known.forget_nodes()
            ended = self._clock()
            self._due = ended + max(_PAUSE, _TIMES * (ended - begun))
            # What was worked out of every event would stay until the next diagnosis.
            self._last = replace(analysis, facts=(), costs=Costs(Run((), (), ())))
            return analysis
        facts = tuple(all_facts(run))
        costs = price(run, facts)
        return replace(
            self._last,
            run=run,
            facts=facts,
            costs=costs,
            summary=summarize(run, costs),
            ranks=compare_ranks(run, costs),
        )
