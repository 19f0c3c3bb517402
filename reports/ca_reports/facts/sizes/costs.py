"""What a compile and a step cost by size, as far as a run measured it; else a range.

A step of ``e`` elements takes ``a + b·e + c·e²`` seconds, none of them negative, fitted to the
median times of the recorded sizes. Elements are the product of the sizes that vary.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import prod
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ca_reports.facts.costs import Costs
    from ca_reports.facts.sizes.histogram import CallRow, SizedFunction
    from ca_reports.run.model import Process

# Sizes whose times a fit of its own needs.
_FEWEST = 3
# A time that was measured this often counts no more than others.
_MOST_WEIGHT = 16


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
DYNAMIC_STEP = Range(1.0, 1.1, 1.3)
# What compiling a graph for any size takes more.
DYNAMIC_COMPILE = Range(0.8, 1.2, 2.0)


@dataclass(frozen=True, slots=True)
class Fit:
    """Seconds by the number of elements; ``points`` sizes were timed."""

    coefficients: tuple[float, float, float]
    points: int

    def seconds(self, elements: float) -> float:
        """Return what a step with so many elements takes."""
        constant, linear, square = self.coefficients
        return constant + linear * elements + square * elements * elements


def fit(points: Sequence[tuple[float, float, float]]) -> Fit | None:
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
    points: Sequence[tuple[float, float, float]], terms: Sequence[int], largest: float
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
    factors for both kinds. ``is_compared``: the run showed both. ``is_known``: steps of several
    sizes were timed; else all that is known is how often each size came.
    """

    shape: Callable[[float], float]
    static: Range
    dynamic: Range
    is_compared: bool
    is_known: bool

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
    own, other = fit(static), fit(dynamic)
    one = Range.exactly(1.0)
    if own is not None and other is not None:
        if own.points >= _FEWEST or own.points >= other.points:
            factor = _ratio(dynamic, own)
            return StepCosts(own.seconds, one, Range.exactly(factor), True, own.points > 1)
        factor = _ratio(static, other)
        return StepCosts(other.seconds, Range.exactly(factor), one, True, other.points > 1)
    if own is not None:
        return StepCosts(own.seconds, one, DYNAMIC_STEP, False, own.points > 1)
    if other is not None:
        low, likely, high = (1 / found for found in reversed(DYNAMIC_STEP))
        return StepCosts(other.seconds, Range(low, likely, high), one, False, other.points > 1)
    return None


def _ratio(points: Iterable[tuple[float, float, float]], fitted: Fit) -> float:
    return median(seconds / fitted.seconds(elements) for elements, seconds, _ in points)


def _points(function: SizedFunction, way: str, *, whole: bool) -> list[tuple[float, float, float]]:
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
    """Seconds of compiling the function once more, for one size and for any, backwards included.

    ``once`` is what the first compile of a process takes beyond that, whatever the plan. ``now`` is
    what its compiles took in this run, ``number`` how many there were.
    """

    static: Range
    dynamic: Range
    once: float
    now: float
    number: int


# What a later compile takes of a first one, where a run has no later one.
_LATER = Range(0.3, 0.8, 1.0)


def compile_costs(function: SizedFunction, costs: Costs | None) -> CompileCosts | None:
    """Return what compiling costs, with the captured backwards; None if no log has the seconds.

    ``costs`` may be None for a process without captures.
    """
    by_code: dict[str, list[tuple[float, bool]]] = {}
    for compiled in function.compiles:
        if compiled.seconds is not None and not compiled.is_refused:
            is_static = compiled.compile_id in function.static_graphs
            by_code.setdefault(compiled.code_number, []).append((compiled.seconds, is_static))
    captures = function.process.captures
    if not by_code or (captures and costs is None):
        return None
    zero = Range.exactly(0.0)
    static, dynamic, once = zero, zero, 0.0
    for compiles in by_code.values():
        for_size, for_any = _later(compiles)
        static, dynamic = static + for_size, dynamic + for_any
        first, is_static = compiles[0]
        once += max(0.0, first - (for_size if is_static else for_any).likely)
    backwards = [
        cost.seconds
        for capture in captures
        if costs is not None and (cost := costs.of_capture(capture)) is not None
    ]
    if backwards:
        captured = median(backwards[1:] or backwards)
        once += max(0.0, backwards[0] - captured)
        static, dynamic = static + Range.exactly(captured), dynamic + Range.exactly(captured)
    seconds = [seconds for compiles in by_code.values() for seconds, _ in compiles]
    number = max(map(len, by_code.values()))
    return CompileCosts(static, dynamic, once, sum(seconds) + sum(backwards), number)


def _later(compiles: Sequence[tuple[float, bool]]) -> tuple[Range, Range]:
    """Return what a compile for one size and one for any take, when it is not the first.

    In its first compile a process does what later ones find done.
    """
    first = compiles[0][0]
    of_size = [seconds for seconds, is_static in compiles[1:] if is_static]
    of_any = [seconds for seconds, is_static in compiles[1:] if not is_static]
    if of_size and of_any:
        return Range.exactly(median(of_size)), Range.exactly(median(of_any))
    if of_size:
        known = median(of_size)
        return Range.exactly(known), DYNAMIC_COMPILE.times(known)
    if of_any:
        known = median(of_any)
        low, likely, high = (known / factor for factor in reversed(DYNAMIC_COMPILE))
        return Range(low, likely, high), Range.exactly(known)
    return _LATER.times(first), _LATER.times(first).scaled(DYNAMIC_COMPILE)
