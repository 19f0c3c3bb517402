"""The page's view of the sizes of inputs: histograms, with plans for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from ca_engine.lazy_classes import dataclass
from ca_reports.facts.sizes.examined import examine
from ca_reports.output import sizes_svg
from ca_reports.sentences import sizes as words
from ca_reports.words.numbers import and_more

if TYPE_CHECKING:
    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.facts.sizes.examined import RunSizes
    from ca_reports.facts.sizes.plans import FunctionPlans

_FUNCTIONS = 8
_PLANS = 12


@dataclass(frozen=True, slots=True)
class _Row:
    """A plan: the cells of its row, and whether it is what happens now, or the best."""

    cells: tuple[str, ...]
    is_now: bool
    is_best: bool


@dataclass(frozen=True, slots=True)
class _FunctionView:
    title: str
    histograms: list[tuple[str, Markup]]
    plan: str
    headings: tuple[str, ...]
    rows: list[_Row]
    best: str
    notes: list[str]


@dataclass(frozen=True, slots=True)
class SizesView:
    """The page's tab of sizes; ``left_out`` counts functions that it does not show."""

    headline: str
    functions: list[_FunctionView]
    left_out: str


def sizes_view(analysis: Analysis) -> SizesView | None:
    """Return the view of a run's sizes; None if no function's inputs varied."""
    found = examine(analysis.run, costs=analysis.costs, files=analysis.files)
    if not found.functions:
        return None
    left = len(found.functions) - _FUNCTIONS
    return SizesView(
        words.headline(found),
        [_function(found, one) for one in found.functions[:_FUNCTIONS]],
        and_more(left, "function") if left > 0 else "",
    )


def _function(found: RunSizes, one: FunctionPlans) -> _FunctionView:
    series = sizes_svg.of_function(one)
    best = one.best
    return _FunctionView(
        words.title(found, one),
        # Numbers of ours and escaped texts: it is drawn, and holds nothing of a log as it is.
        [(each.title, Markup(sizes_svg.part(each))) for each in series],
        next((each.plan for each in series if each.plan), ""),
        words.headings(one),
        [
            _Row(words.cells(plan), plan is one.as_is, plan is best)
            for plan in words.shown(one, _PLANS)
        ],
        "" if best is None else words.how(best),
        list(words.notes(one)),
    )
