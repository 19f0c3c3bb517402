"""What a compile and a step cost by size, as far as a run measured it; else a range.

A step of ``e`` elements takes ``a + b·e + c·e²`` seconds, none of them negative, fitted to the
median times of the recorded sizes. Elements are the product of the sizes that vary.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from math import prod
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from ca_engine.schema import MOST_LOWERED_SIZES
from ca_reports.facts import torch_costs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ca_reports.facts.costs import Costs
    from ca_reports.facts.sizes.histogram import CallRow, SizedFunction, Way
    from ca_reports.run.model import Compile, Process

# Sizes whose times a fit of its own needs.
_FEWEST = 3
# A time that was measured this often counts no more than others.
_MOST_WEIGHT = 16
# The elements of a size, the seconds of a step, and how much they count.
_Point = tuple[float, float, float]


class Range(NamedTuple):
    """A number: the least and the most that it may be, and the likely one."""

    low: float
    likely: float
    high: float

    @classmethod
    def exactly(cls, value: float) -> Range:
        """Return the range of a number that was measured."""
        return cls(value, value, value)

    def __add__(self, other: object) -> Range:
        """Return the range of the sum of two numbers."""
        assert isinstance(other, Range)
        return Range(self.low + other.low, self.likely + other.likely, self.high + other.high)

    def times(self, factor: float) -> Range:
        """Return the range of a multiple."""
        return Range(self.low * factor, self.likely * factor, self.high * factor)

    def scaled(self, other: Range) -> Range:
        """Return the range of the product with a number that is not negative."""
        return Range(self.low * other.low, self.likely * other.likely, self.high * other.high)

    @property
    def is_exact(self) -> bool:
        """Return whether it is one number."""
        return self.low == self.high


# What a graph for any size takes more in a step than one for a single size, where a run did not
# show both: nothing in one program, 30% in another.
DYNAMIC_STEP = Range(0.95, 1.1, 1.4)
# What a step in Python takes, past the recompile limit, where none was timed.
EAGER_STEP = Range(0.8, 1.3, 4.0)
# What Dynamo and AOTAutograd take more for any size: in a later compile, and in the first of a
# process, which does once what others find done. Measured on six programs with aot_eager, in CPU
# seconds: 1.5 to 2.5 times, and 1.1 to 1.8 times.
DYNAMIC_COMPILE = Range(1.2, 1.8, 2.6)
FIRST_DYNAMIC = Range(1.1, 1.4, 1.9)
# The same of the backend, whose kernels have to be compiled for either: with Inductor.
DYNAMIC_BACKEND = Range(0.9, 1.05, 1.4)


@dataclass(frozen=True, slots=True)
class Fit:
    """Seconds by the number of elements; ``points`` sizes were timed."""

    coefficients: tuple[float, float, float]
    points: int

    def seconds(self, elements: float) -> float:
        """Return what a step with so many elements takes."""
        constant, linear, square = self.coefficients
        return constant + linear * elements + square * elements * elements


def fit(points: Sequence[_Point]) -> Fit | None:
    """Fit seconds to elements, each a point with its weight; None without points.

    Of all choices of terms the one with the least squared relative error of those in which no
    coefficient is negative.
    """
    if not points:
        return None
    largest = max(elements for elements, _, _ in points) or 1.0
    best: tuple[float, tuple[float, float, float]] | None = None
    for number in range(1, 4):
        for terms in combinations(range(3), number):
            if number > len({elements for elements, _, _ in points}):
                continue
            found = _least_squares(points, terms, largest)
            if found is None or min(found) < 0:
                continue
            coefficients = [0.0, 0.0, 0.0]
            for term, value in zip(terms, found, strict=True):
                coefficients[term] = value / largest**term
            constant, linear, square = coefficients
            error = sum(
                weight * ((constant + linear * e + square * e * e) / seconds - 1) ** 2
                for e, seconds, weight in points
            )
            # Another term must explain something.
            if best is None or error < best[0] * 0.95:
                best = error, (constant, linear, square)
    return None if best is None else Fit(best[1], len({e for e, _, _ in points}))


def _least_squares(
    points: Sequence[_Point], terms: Sequence[int], largest: float
) -> list[float] | None:
    """Solve the normal equations of relative errors for the powers ``terms`` of the elements."""
    rows = [
        ([(elements / largest) ** term / seconds for term in terms], weight)
        for elements, seconds, weight in points
    ]
    size = len(terms)
    matrix = [
        [
            *(sum(weight * row[i] * row[j] for row, weight in rows) for j in range(size)),
            sum(weight * row[i] for row, weight in rows),
        ]
        for i in range(size)
    ]
    for at in range(size):
        pivot = max(range(at, size), key=lambda row: abs(matrix[row][at]))
        if abs(matrix[pivot][at]) < 1e-12 * max(1.0, abs(matrix[0][0])):
            return None
        matrix[at], matrix[pivot] = matrix[pivot], matrix[at]
        for row in range(size):
            if row != at:
                factor = matrix[row][at] / matrix[at][at]
                matrix[row] = [
                    one - factor * other for one, other in zip(matrix[row], matrix[at], strict=True)
                ]
    return [matrix[at][size] / matrix[at][at] for at in range(size)]


@dataclass(frozen=True, slots=True)
class StepCosts:
    """What a step takes, by its elements, on a graph of its size and on one for any.

    ``shape`` gives its seconds on the kind of graph that was timed; ``static`` and ``dynamic`` are
    factors for both kinds. ``eager`` gives those of steps that Python ran; None if none was timed.
    ``is_compared``: the run showed both kinds. ``is_known``: steps of several sizes were timed;
    else all that is known is how often each size came.
    """

    shape: Callable[[float], float]
    static: Range
    dynamic: Range
    is_compared: bool
    is_known: bool
    eager: Fit | None = None

    def of(self, way: Way, elements: float) -> Range:
        """Return what a step takes that runs in such a way."""
        if way == "static":
            return self.of_static(elements)
        if way == "dynamic":
            return self.of_dynamic(elements)
        if self.eager is None:
            return EAGER_STEP.scaled(self.of_static(elements))
        return Range.exactly(self.eager.seconds(elements))

    def of_static(self, elements: float) -> Range:
        """Return what a step on a graph of this size alone takes."""
        return self.static.times(self.shape(elements))

    def of_dynamic(self, elements: float) -> Range:
        """Return what a step on a graph for any size takes."""
        return self.dynamic.times(self.shape(elements))

    @property
    def slower(self) -> Range:
        """Return by which factor steps on a graph for any size are slower."""
        if self.is_compared:
            return Range.exactly(self.dynamic.likely / self.static.likely)
        return DYNAMIC_STEP


def step_costs(function: SizedFunction) -> StepCosts | None:
    """Return what a step of ``function`` costs; None if none was timed.

    In a training a step goes from one call to the next; elsewhere it is the call alone, as the
    program may wait for requests in between.
    """
    whole = trains(function.process)
    static = _points(function, "static", whole=whole)
    dynamic = _points(function, "dynamic", whole=whole)
    eager = fit(_points(function, "eager", whole=whole))
    own, other = fit(static), fit(dynamic)
    one = Range.exactly(1.0)
    if own is not None and other is not None and _are_comparable(static, dynamic):
        if own.points >= _FEWEST or own.points >= other.points:
            factor = Range.exactly(_ratio(dynamic, own))
            return StepCosts(own.seconds, one, factor, True, own.points > 1, eager)
        factor = Range.exactly(_ratio(static, other))
        return StepCosts(other.seconds, factor, one, True, other.points > 1, eager)
    if own is not None:
        return StepCosts(own.seconds, one, DYNAMIC_STEP, False, own.points > 1, eager)
    if other is not None:
        less = _divided(one, DYNAMIC_STEP)
        return StepCosts(other.seconds, less, one, False, other.points > 1, eager)
    return None


def _are_comparable(one: Iterable[_Point], two: Iterable[_Point]) -> bool:
    """Return whether steps were timed both ways of one size, or of several sizes in one way.

    Of one size each they differ by the size as well.
    """
    sizes, others = ({elements for elements, _, _ in points} for points in (one, two))
    return max(len(sizes), len(others)) > 1 or sizes == others


def _ratio(points: Iterable[_Point], fitted: Fit) -> float:
    return median(seconds / fitted.seconds(elements) for elements, seconds, _ in points)


def _points(function: SizedFunction, way: Way, *, whole: bool) -> list[_Point]:
    return [
        (float(elements_of(row.values)), seconds, float(min(row.calls, _MOST_WEIGHT)))
        for row in function.rows
        if row.way == way and (seconds := _seconds(row, whole=whole))
    ]


def _seconds(row: CallRow, *, whole: bool) -> float | None:
    return row.step if whole else row.seconds


def elements_of(values: Iterable[int]) -> int:
    """Return the product of sizes: what a step computes grows with it."""
    return prod(values)


def trains(process: Process) -> bool:
    """Return whether the process ran backwards."""
    return bool(process.step_starts) or process.backwards is not None


@dataclass(frozen=True, slots=True)
class CompileCosts:
    """Seconds of compiling the function, backwards included: for one size, and for any.

    ``first_static`` and ``first_dynamic`` are those of the first compile of a process, which does
    what later ones (``static``, ``dynamic``) find done. ``now`` is what the compiles of this run
    took, ``number`` how many there were. ``spared_by_lowering`` is what a size's backward would
    take less if it were lowered, for up to ``most_lowered`` sizes; None where it is, or cannot be.
    """

    first_static: Range
    first_dynamic: Range
    static: Range
    dynamic: Range
    now: float
    number: int
    spared_by_lowering: Range | None = None
    most_lowered: int = 0

    def of_static(self, number: int) -> Range:
        """Return what compiling for so many single sizes takes."""
        return self.first_static + self.static.times(number - 1)

    def of_dynamic(self, more: int = 0) -> Range:
        """Return what compiling for any size takes, and for ``more`` single ones."""
        return self.first_dynamic + self.static.times(more)


# What a later compile takes of a first one, where a run has no later one.
_LATER = Range(0.15, 0.4, 1.0)


def compile_costs(function: SizedFunction, costs: Costs | None) -> CompileCosts | None:
    """Return what compiling costs, with the captured backwards; None if no log has the seconds.

    ``costs`` may be None for a process without captures.
    """
    by_code: dict[str, list[_Timed]] = {}
    for compiled in function.compiles:
        if compiled.seconds is not None and not compiled.is_refused:
            is_static = compiled.compile_id in function.static_graphs
            seconds = compile_seconds(compiled, function.process)
            backend = compiled.phases.get("backend", 0.0) * seconds / (compiled.seconds or 1.0)
            timed = _Timed(seconds, min(seconds, backend), is_static)
            by_code.setdefault(compiled.code_number, []).append(timed)
    captures = function.process.captures
    if not by_code or (captures and costs is None):
        return None
    zero = Range.exactly(0.0)
    total = CompileCosts(zero, zero, zero, zero, 0.0, 0)
    for compiles in by_code.values():
        total = _sum(total, _of_code(compiles))
    waits: dict[int | None, float] = {}
    for compiled in function.process.compiles:
        waited = function.process.core_waits.get(compiled.compile_id, 0.0)
        waits[compiled.capture] = waits.get(compiled.capture, 0.0) + waited
    backwards = [
        max(0.0, cost.seconds - waits.get(capture.id, 0.0))
        for capture in captures
        if costs is not None and (cost := costs.of_capture(capture)) is not None
    ]
    if backwards:
        first = Range.exactly(backwards[0])
        later = Range.exactly(median(backwards[1:] or backwards))
        # A backward for each compile: what else made captures makes them with any plan.
        more = max(0, min(total.number, len(backwards)) - 1)
        spent = first.likely + more * later.likely
        total = _sum(total, CompileCosts(first, first, later, later, spent, 0))
        total = _with_lowering(total, function)
    return total


def _with_lowering(costs: CompileCosts, function: SizedFunction) -> CompileCosts:
    """Return the costs with what lowering would spare; as they are where it is on, or cannot be."""
    process = function.process
    if process.engine != "ca" or any(one.lowering is not None for one in process.captures):
        return costs
    backend = "inductor" if any(one.cache for one in function.compiles) else "aot_eager"
    spared = torch_costs.not_lowered(process.captures, backend)
    if spared is None:
        return costs
    return replace(
        costs,
        spared_by_lowering=Range(spared.least, spared.seconds, spared.most),
        most_lowered=MOST_LOWERED_SIZES[backend],
    )


def _sum(one: CompileCosts, other: CompileCosts) -> CompileCosts:
    return CompileCosts(
        one.first_static + other.first_static,
        one.first_dynamic + other.first_dynamic,
        one.static + other.static,
        one.dynamic + other.dynamic,
        one.now + other.now,
        max(one.number, other.number),
    )


def compile_seconds(compiled: Compile, process: Process) -> float:
    """Return what a compile took, without the time for which no core was free."""
    return max(0.0, (compiled.seconds or 0.0) - process.core_waits.get(compiled.compile_id, 0.0))


class _Timed(NamedTuple):
    """A compile: its seconds, the backend's among them, and whether it was for one size."""

    seconds: float
    backend: float
    is_static: bool

    def more(self, of_torch: Range) -> Range:
        """Return how many times as long it takes for any size, as its phases say."""
        share = self.backend / self.seconds if self.seconds else 0.0
        return of_torch.times(1 - share) + DYNAMIC_BACKEND.times(share)


def _of_code(compiles: Sequence[_Timed]) -> CompileCosts:
    """Return what compiling one code costs, by its compiles in this run, the first one first."""
    first = compiles[0]
    more = first.more(FIRST_DYNAMIC)
    seconds = Range.exactly(first.seconds)
    firsts = (seconds, more.scaled(seconds))
    if not first.is_static:
        firsts = (_divided(seconds, more), seconds)
    of_size = [one for one in compiles[1:] if one.is_static]
    of_any = [one for one in compiles[1:] if not one.is_static]
    static = Range.exactly(median(one.seconds for one in of_size)) if of_size else None
    dynamic = Range.exactly(median(one.seconds for one in of_any)) if of_any else None
    more = (of_size or of_any or [first])[0].more(DYNAMIC_COMPILE)
    if static is None:
        # No later compile takes longer than the first one.
        known = None if dynamic is None else _divided(dynamic, more)
        static = _LATER.scaled(firsts[0]) if known is None else known
        static = Range(*map(min, static, firsts[0]))
    if dynamic is None:
        dynamic = more.scaled(static)
    elif first.is_static:
        # Nor is the first one shorter than a later one.
        firsts = (firsts[0], Range(*map(max, firsts[1], dynamic)))
    spent = sum(one.seconds for one in compiles)
    return CompileCosts(*firsts, static, dynamic, now=spent, number=len(compiles))


def _divided(one: Range, by: Range) -> Range:
    return Range(one.low / by.high, one.likely / by.likely, one.high / by.low)
