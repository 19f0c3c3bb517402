"""Plans for the sizes of a function's inputs: what each compiles, pads and takes in all.

Seconds of N steps are ``first + (compiles - 1) · c + N · mean(t)``, with ``first``, ``c`` and ``t``
as in ``costs``.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Literal

from ca_engine.lazy_classes import dataclass
from ca_reports.facts.sizes.buckets import (
    best_boxes,
    best_buckets,
    cheapest_box,
    multiples,
    next_bucket,
)
from ca_reports.facts.sizes.costs import Noise, Range, compile_costs, elements_of, step_costs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ca_reports.facts.costs import Costs
    from ca_reports.facts.sizes.costs import CompileCosts, StepCosts, Values
    from ca_reports.facts.sizes.histogram import SizedFunction
    from ca_reports.run.compiler_settings import Sizes as SizesSetting

# In the order of what they change in a program, the least first.
PlanKind = Literal[
    "as_is",
    "mark_dynamic",
    "dynamic",
    "mark_unbacked",
    "lowered",
    "one_length",
    "buckets",
    "multiples",
]
_KINDS: tuple[PlanKind, ...] = (
    "as_is", "mark_dynamic", "dynamic", "mark_unbacked", "lowered", "one_length", "buckets",
    "multiples",
)  # fmt: skip
MOST_BUCKETS = 16
MULTIPLES = (8, 64, 128)
# Of torch's: so many graphs of one function, the others run in Python.
_RECOMPILE_LIMIT = 8


@dataclass(frozen=True, slots=True)
class Plan:
    """One way to treat the sizes, for ``steps`` steps.

    ``sizes`` are those that inputs are padded to, empty where nothing is padded; of several
    dimensions at once in the order of the arguments. ``padding`` is its share of the computed
    elements. ``step`` are the mean seconds of a step, ``total`` those of all, compiles included.
    ``first`` are those of ``compile_seconds`` that the first compile of the process takes.
    ``past_limit``: more graphs than torch's recompile limit allows. ``multiple`` is that of
    ``multiples``. ``was_tried``: its times are those of short runs with it. ``rank`` is 1 of the
    best plan and of those that are not told apart from it, and so on.
    """

    kind: PlanKind
    sizes: tuple[Values, ...]
    compiles: int
    compile_seconds: Range
    padding: float
    step: Range
    total: Range
    first: Range = field(default_factory=lambda: Range.exactly(0.0))
    past_limit: bool = False
    multiple: int | None = None
    was_tried: bool = False
    rank: int = 1

    @property
    def is_measured(self) -> bool:
        """Return whether all that it is reckoned from was measured."""
        return self.total.is_exact

    def seconds(self, steps: int) -> Range:
        """Return what so many steps take, compiles included."""
        return self.compile_seconds + self.step.times(steps)


@dataclass(frozen=True, slots=True)
class Measurement:
    """Holds what a short run of a plan took: compiles, the first of them, steps, and in all.

    ``each`` has the seconds of each step, None where something was compiled. ``error`` says why
    it is of no use, and the rest is 0.
    """

    compiles: int = 0
    compile_seconds: float = 0.0
    each: tuple[float | None, ...] = ()
    total: float = 0.0
    first_seconds: float = 0.0
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Tried:
    """What short runs of a plan took, as ``plan`` was reckoned at the pace of the machine then.

    ``steps`` ran in each of them; a mean one took ``step_seconds`` without those that compiled.
    ``noise`` is that of what it was reckoned from.
    """

    plan: Plan
    steps: int = 0
    compiles: int = 0
    compile_seconds: float = 0.0
    step_seconds: float = 0.0
    total: float = 0.0
    error: str | None = None
    noise: Noise = field(default_factory=Noise)

    @property
    def reckoned(self) -> Range:
        """Return the seconds that so many steps were reckoned to take, with the noise."""
        return _widened(self.plan.compile_seconds, self.noise.compiling) + _widened(
            self.plan.step, self.noise.step
        ).times(self.steps)


def _widened(found: Range, share: float) -> Range:
    return Range(found.low * (1 - min(share, 1.0)), found.likely, found.high * (1 + share))


@dataclass(frozen=True, slots=True)
class FunctionPlans:
    """The plans for one function, best first; none where no step or no compile was timed.

    ``setting`` is how sizes were taken: ``dynamic=True``, automatically, or each by itself.
    ``tried`` are those that short runs tried. ``noise`` is what the times do not tell apart.
    """

    function: SizedFunction
    steps: int
    setting: SizesSetting | None
    step_costs: StepCosts | None
    compile_costs: CompileCosts | None
    plans: tuple[Plan, ...]
    tried: tuple[Tried, ...] = ()
    noise: Noise = field(default_factory=Noise)

    @property
    def best(self) -> Plan | None:
        """Return the best plan that is known to work.

        Unbacked sizes fail or break graphs where code decides by them: only a short run tells.
        """
        known = (one for one in self.plans if one.kind != "mark_unbacked" or one.was_tried)
        return next(known, None)

    @property
    def as_is(self) -> Plan | None:
        """Return what happens if nothing is changed."""
        return self.of_kind("as_is")

    @property
    def padded(self) -> Plan | None:
        """Return the best plan that pads."""
        return next((plan for plan in self.plans if plan.sizes), None)

    def of_kind(self, kind: PlanKind) -> Plan | None:
        """Return the best plan of a kind."""
        return next((plan for plan in self.plans if plan.kind == kind), None)

    @property
    def dynamic(self) -> Plan | None:
        """Return the best plan with one graph for any size."""
        kinds = ("mark_dynamic", "dynamic")
        return next((plan for plan in self.plans if plan.kind in kinds), None)


def function_plans(
    function: SizedFunction, costs: Costs | None, steps: int | None = None
) -> FunctionPlans:
    """Reckon all plans for ``steps`` steps; without, as many as the function was called.

    ``costs`` may be None for a process without captures: others then have no plan. Nor has a
    function whose recompile limit left calls to Python that were not counted: sizes are missing.
    """
    number = function.calls if steps is None else steps
    by_step, by_compile = step_costs(function), compile_costs(function, costs)
    settings = [found.settings for found in function.compiles]
    setting = next((found.sizes for found in settings if found.sizes), None)
    limit = next((found.recompile_limit for found in settings if found.recompile_limit), None)
    plans: list[Plan] = []
    noise = Noise()
    is_whole = bool(function.calls) and not function.misses_calls
    if by_step is not None and by_compile is not None and is_whole:
        maker = _Maker(function, by_step, by_compile, number, setting, limit or _RECOMPILE_LIMIT)
        noise = Noise(by_step.noise, by_compile.noise)
        plans = ranked(maker.all(), noise, number)
    return FunctionPlans(function, number, setting, by_step, by_compile, tuple(plans), noise=noise)


def unclear(plan: Plan, noise: Noise, steps: int) -> float:
    """Return by how many seconds another plan must differ to be told apart from ``plan``."""
    of_steps = plan.step.likely * steps * noise.step
    return of_steps + plan.compile_seconds.likely * noise.compiling


def ranked(plans: Iterable[Plan], noise: Noise, steps: int) -> list[Plan]:
    """Sort the plans, the best first, and give each its rank.

    Those that are not told apart from the first of a rank share it: by the noise, or as their range
    overlaps with its own. Of those, what pads comes last: it needs a mask. Of what is likely as
    good the one that changes least comes first.
    """
    left = sorted(plans, key=lambda plan: plan.total.likely)
    found: list[Plan] = []
    while left:
        first, alike = left[0], left[:1]
        while True:
            most = first.total.high + unclear(first, noise, steps)
            alike = [plan for plan in left if plan in alike or plan.total.low <= most]
            ordered = _padding_last(alike, noise, steps)
            if ordered[0] is first:
                break
            first = ordered[0]
        rank = len(found) + 1
        found += (replace(plan, rank=rank) for plan in ordered)
        left = [plan for plan in left if plan not in alike]
    return found


def _padding_last(plans: list[Plan], noise: Noise, steps: int) -> list[Plan]:
    """Sort plans of one rank; ``plans`` are in the order of what they likely take."""
    return [
        plan
        for pads in (False, True)
        for plan in _least_change_first(
            [plan for plan in plans if bool(plan.sizes) is pads], noise, steps
        )
    ]


def _least_change_first(plans: list[Plan], noise: Noise, steps: int) -> list[Plan]:
    found: list[Plan] = []
    left = list(plans)
    while left:
        most = left[0].total.likely + unclear(left[0], noise, steps)
        near = [plan for plan in left if plan.total.likely <= most]
        found += sorted(near, key=lambda plan: (_KINDS.index(plan.kind), len(plan.sizes)))
        left = left[len(near) :]
    return found


@dataclass(frozen=True, slots=True)
class _Maker:
    """Reckons the plans of one function."""

    function: SizedFunction
    steps_cost: StepCosts
    compiles_cost: CompileCosts
    steps: int
    setting: SizesSetting | None
    limit: int

    def all(self) -> Iterator[Plan]:
        yield self.as_is()
        counts = self.function.counts
        # A size of 0 or 1 has a graph of its own, beside each of another dimension, except where it
        # is unbacked.
        special = {tuple(size if size < 2 else None for size in values) for values in counts}
        more = len(special) - 1
        yield self.for_any("mark_dynamic", more=more)
        yield self.for_any("dynamic", more=more)
        if any(size is not None for values in special for size in values):
            yield self.for_any("mark_unbacked")
        yield from self._lowered()
        if not self.steps_cost.is_known:
            return
        is_one = len(self.function.arguments) == 1
        found = self._buckets_of_one() if is_one else self._boxes()
        yield from found
        if is_one:
            yield from self._multiples()

    def as_is(self) -> Plan:
        """Return what this run did, for so many steps."""
        function, costs = self.function, self.steps_cost
        calls = function.calls
        mean = Range.exactly(0.0)
        for row in function.rows:
            step = costs.of(row.way, row.values)
            mean = mean + step.times(row.calls / calls)
        number, seconds = self.compiles_cost.number, Range.exactly(self.compiles_cost.now)
        if self.setting == "static" and self.steps > calls:
            # Sizes that come seldom come later: of those that were seen, as many as will.
            expected = sum(
                1 - (1 - count / calls) ** self.steps for count in function.counts.values()
            )
            more = max(0, min(round(expected), self.limit) - number)
            number += more
            seconds = seconds + self.compiles_cost.static.times(more)
        first = Range.exactly(self.compiles_cost.first_now)
        return self._plan("as_is", (), number, (first, seconds), 0.0, mean)

    def for_any(self, kind: PlanKind, *, more: int = 0) -> Plan:
        """Return the plan of one graph for any size, and of ``more`` for a size each."""
        mean = Range.exactly(0.0)
        for values, count in self.function.counts.items():
            is_own = kind != "mark_unbacked" and min(values) < 2
            cost = self.steps_cost.of_static if is_own else self.steps_cost.of_dynamic
            of = cost(values)
            mean = mean + of.times(count / self.function.calls)
        costs = self.compiles_cost
        seconds = (costs.first_dynamic, costs.of_dynamic(more))
        return self._plan(kind, (), 1 + more, seconds, 0.0, mean)

    def _lowered(self) -> Iterator[Plan]:
        """Yield the plan of lowering each size's backward, where backwards go through Dynamo."""
        counts, spared = self.function.counts, self.compiles_cost.spared_by_lowering
        if spared is None or len(counts) > self.compiles_cost.most_lowered:
            return
        mean = Range.exactly(0.0)
        for values, count in counts.items():
            of = self.steps_cost.of_static(values)
            mean = mean + of.times(count / self.function.calls)
        whole, less = self.compiles_cost.of_static(len(counts)), spared.times(len(counts))
        left = (whole.low - less.high, whole.likely - less.likely, whole.high - less.low)
        seconds = Range(*(max(0.0, each) for each in left))
        first = Range(*map(min, self.compiles_cost.first_static, seconds))
        yield self._plan("lowered", (), len(counts), (first, seconds), 0.0, mean)

    def _buckets_of_one(self) -> Iterator[Plan]:
        counts = self.function.histogram(0)
        for number, sizes in best_buckets(
            counts, lambda size: self._likely((size,)), MOST_BUCKETS
        ).items():
            yield self._padded(_kind(number), [(size,) for size in sizes])

    def _multiples(self) -> Iterator[Plan]:
        counts = self.function.histogram(0)
        for of in MULTIPLES:
            sizes = multiples(counts, of)
            if of < max(counts) and 1 < len(sizes) < len(counts):
                yield self._padded("multiples", [(size,) for size in sizes], of)

    def _boxes(self) -> Iterator[Plan]:
        found = best_boxes(self.function.counts, self._likely, MOST_BUCKETS)
        last = 0
        for number, boxes in sorted(found.items()):
            plan = self._padded(_kind(number), boxes)
            # One of more boxes may use no more of them.
            if len(plan.sizes) > last:
                last = len(plan.sizes)
                yield plan

    def _likely(self, values: Values) -> float:
        return self.steps_cost.of_static(values).likely

    def _padded(self, kind: PlanKind, sizes: Sequence[Values], multiple: int | None = None) -> Plan:
        """Return the plan of padding to the next of ``sizes``, in ascending order."""
        used: dict[Values, int] = {}
        for values, count in self.function.counts.items():
            box = _box(values, sizes)
            used[box] = used.get(box, 0) + count
        calls = self.function.calls
        mean = Range.exactly(0.0)
        for box, count in used.items():
            mean = mean + self.steps_cost.of_static(box).times(count / calls)
        computed = sum(elements_of(box) * count for box, count in used.items())
        given = sum(elements_of(one) * count for one, count in self.function.counts.items())
        padding = 1 - given / computed if computed else 0.0
        costs = self.compiles_cost
        seconds = (costs.first_static, costs.of_static(len(used)))
        return self._plan(kind, tuple(sorted(used)), len(used), seconds, padding, mean, multiple)

    def _plan(
        self,
        kind: PlanKind,
        sizes: tuple[Values, ...],
        compiles: int,
        compiling: tuple[Range, Range],
        padding: float,
        step: Range,
        multiple: int | None = None,
    ) -> Plan:
        """Return a plan; ``compiling`` are the seconds of the first compile, and of all."""
        first, seconds = compiling
        total = seconds + step.times(self.steps)
        past = kind != "as_is" and compiles > self.limit
        return Plan(kind, sizes, compiles, seconds, padding, step, total, first, past, multiple)


def _kind(buckets: int) -> PlanKind:
    if buckets > 1:
        return "buckets"
    return "one_length"


def _box(values: Values, sizes: Sequence[Values]) -> Values:
    if len(values) == 1:
        return (next_bucket(values[0], [size for (size,) in sizes]),)
    found = cheapest_box(values, sizes, elements_of)
    assert found is not None  # they cover all sizes of the histogram
    return found
