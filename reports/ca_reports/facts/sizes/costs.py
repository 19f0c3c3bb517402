"""What a compile and a step cost by size, as far as a run measured it; else a range.

A step takes ``a + b·e + c·e²`` seconds, none of them negative, fitted to the median times of the
recorded sizes, with ``e`` the product of those that vary. Of several, such as nodes and edges, each
may also have a term of its own; no fit has more than three.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate, combinations
from math import log, prod, sqrt
from statistics import mean, median, stdev
from typing import TYPE_CHECKING, NamedTuple

from ca_engine.lazy_classes import dataclass
from ca_engine.schema import MOST_LOWERED_SIZES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ca_reports.facts.costs import Costs
    from ca_reports.facts.sizes.histogram import CallRow, SizedFunction, Way
    from ca_reports.run.model import Capture, Compile, Process

# Sizes whose times a fit of its own needs.
_FEWEST = 3
# No graph for any size takes so many times what one of a size does, or that part of it.
_FURTHEST = 5.0
# A time that was measured this often counts no more than others.
_MOST_WEIGHT = 16
# Two runs of one program differ by this at least, also where a few of their times agree.
LEAST_NOISE = 0.02
# Terms of a fit, and points that it is made of.
_MOST_TERMS = 3
_MOST_POINTS = 256
# How often a fit is made again with the weights that its errors give; what is so many times as far
# off as usual counts less; and the standard deviation, as a multiple of the median of errors.
_ROUNDS = 10
_FAR = 1.5
_OF_MEDIAN = 1.48
# Beyond a factor of two, as a logarithm, it does not matter how far off a time is.
_OUTLIER = 0.7
Values = tuple[int, ...]
# Sizes, the seconds of a step with them, and how much they count.
_Point = tuple[Values, float, float]


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
# How many times as long Dynamo and AOTAutograd take for any size in a later compile. Measured on
# six programs with aot_eager, in CPU seconds: 1.5 to 2.5 times.
DYNAMIC_COMPILE = Range(1.2, 1.8, 2.6)
# What they take more for it in the first compile of a process, which imports and does once what
# others find done, as a multiple of what they take in a later one: what is done once is the same
# for any size. Measured on the same programs (`benchmarks/sized`): -0.2, 0.9, 0.9, 0.9, 1.2, 2.0.
MORE_AT_FIRST = Range(-0.2, 0.9, 2.0)
# The same of the backend, whose kernels have to be compiled for either: with Inductor.
DYNAMIC_BACKEND = Range(0.9, 1.05, 1.4)
# The share of what Dynamo and AOTAutograd take for a captured backward that lowering spares. The
# backend compiles the same either way.
LOWERED = Range(0.7, 0.85, 0.95)


class Noise(NamedTuple):
    """Shares of a step and of a compile that the measured times do not tell apart."""

    step: float = LEAST_NOISE
    compiling: float = LEAST_NOISE


# How often each size of a tensor is a factor of a term: () for all sizes that vary.
_Term = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Fit:
    """Seconds by the sizes that vary, as a sum of terms; ``points`` sets of sizes were timed.

    ``noise`` is by how much, as a share, their times lie off the fitted ones.
    """

    terms: tuple[tuple[_Term, float], ...]
    points: int
    noise: float = 0.0

    def seconds(self, values: Values) -> float:
        """Return what a step with such sizes takes."""
        return sum(factor * _power(values, term) for term, factor in self.terms)


def fit(points: Sequence[_Point]) -> Fit | None:
    """Fit seconds to sizes, each a point with its weight; None without points.

    Of all choices of terms the one whose times lie nearest of those in which no factor is negative.
    A time that is far off counts less: something else held it up.
    """
    if not points:
        return None
    points = _some(points)
    sets = len({values for values, _, _ in points})
    own = [seconds for _, seconds, _ in points]
    best: tuple[float, Fit] | None = None
    for number in range(1, min(_MOST_TERMS, sets) + 1):
        for chosen in combinations(_terms(len(points[0][0])), number):
            # From the times themselves, or where some of them are far off, from none of them.
            for began in (own, [median(own)] * len(own)):
                found = _robust(points, chosen, began, sets)
                if found is None:
                    continue
                errors = zip(points, _off(points, found), strict=True)
                off = sum(weight * min(error, _OUTLIER) for (_, _, weight), error in errors)
                # Another term must explain something.
                if best is None or off < best[0] * 0.95:
                    best = off, found
    return None if best is None else _with_noise(points, best[1])


def _terms(arguments: int) -> list[_Term]:
    """Return the terms that steps may be made of: the product of all sizes, and each of several."""
    powers = [(power,) * arguments for power in range(3)]
    if arguments == 1:
        return powers
    return [
        *powers,
        *(tuple(int(at == own) for at in range(arguments)) for own in range(arguments)),
    ]


def _power(values: Values, term: _Term) -> float:
    return float(prod(size**power for size, power in zip(values, term, strict=True)))


def _some(points: Sequence[_Point]) -> Sequence[_Point]:
    """Return as many points as a fit takes no time for, small and large ones alike."""
    step = -(-len(points) // _MOST_POINTS)
    return points if step == 1 else sorted(points)[::step]


def _robust(
    points: Sequence[_Point], terms: Sequence[_Term], began: Sequence[float], sets: int
) -> Fit | None:
    """Fit the factors of ``terms`` to the logarithms of the times, beginning at those of ``began``.

    By Newton's steps of least squares, in which a time that is far off counts less.
    """
    largest = [max(_power(values, term) for values, _, _ in points) or 1.0 for term in terms]
    rows = [
        [_power(values, term) / most for term, most in zip(terms, largest, strict=True)]
        for values, _, _ in points
    ]
    fitted, shares = began, [1.0] * len(points)
    found: Fit | None = None
    for _ in range(_ROUNDS):
        weighted = [
            ([each / now for each in row], 1 + log(seconds / now), weight * share)
            for row, (_, seconds, weight), now, share in zip(
                rows, points, fitted, shares, strict=True
            )
        ]
        solved = _least_squares(weighted, len(terms))
        if solved is None or min(solved) < 0 or not any(solved):
            return found
        factors = (value / most for value, most in zip(solved, largest, strict=True))
        found = Fit(tuple(zip(terms, factors, strict=True)), sets)
        fitted = [
            max(found.seconds(values), now / 10)
            for (values, _, _), now in zip(points, fitted, strict=True)
        ]
        errors = _off(points, found)
        usual = max(_OF_MEDIAN * median(errors), LEAST_NOISE)
        shares = [min(1.0, _FAR * usual / error) if error else 1.0 for error in errors]
    return found


def _with_noise(points: Sequence[_Point], found: Fit) -> Fit:
    free = found.points - len(found.terms)
    if free < 1:
        return found
    usual = _OF_MEDIAN * median(_off(points, found))
    return replace(found, noise=usual * sqrt(found.points / free))


def _off(points: Sequence[_Point], found: Fit) -> list[float]:
    """Return how far each time lies off a fit, as the logarithm of how many times it is."""
    return [abs(log(max(found.seconds(values), 1e-12) / seconds)) for values, seconds, _ in points]


def _least_squares(
    rows: Sequence[tuple[list[float], float, float]], size: int
) -> list[float] | None:
    """Solve the normal equations of ``rows``: what is known, what it gives, and its weight."""
    matrix = [
        [
            *(sum(weight * row[i] * row[j] for row, _, weight in rows) for j in range(size)),
            sum(weight * row[i] * given for row, given, weight in rows),
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
    """What a step takes, by its sizes, on a graph of its size and on one for any.

    ``shape`` gives its seconds on the kind of graph that was timed; ``static`` and ``dynamic`` are
    factors for both kinds. ``eager`` gives those of steps that Python ran; None if none was timed.
    ``is_compared``: the run showed both kinds. ``is_known``: steps of several sizes were timed;
    else all that is known is how often each size came. ``noise`` is the share of a mean step by
    which the times are off.
    """

    shape: Fit
    static: Range
    dynamic: Range
    is_compared: bool
    is_known: bool
    eager: Fit | None = None
    noise: float = LEAST_NOISE

    def of(self, way: Way, values: Values) -> Range:
        """Return what a step takes that runs in such a way."""
        if way == "static":
            return self.of_static(values)
        if way == "dynamic":
            return self.of_dynamic(values)
        if self.eager is None:
            return EAGER_STEP.scaled(self.of_static(values))
        return Range.exactly(self.eager.seconds(values))

    def of_static(self, values: Values) -> Range:
        """Return what a step on a graph of this size alone takes."""
        return self.static.times(self.shape.seconds(values))

    def of_dynamic(self, values: Values) -> Range:
        """Return what a step on a graph for any size takes."""
        return self.dynamic.times(self.shape.seconds(values))

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
    whole = function.process.trains
    static = _points(function, "static", whole=whole)
    dynamic = _points(function, "dynamic", whole=whole)
    eager = fit(_points(function, "eager", whole=whole))
    own, other = fit(static), fit(dynamic)
    one = Range.exactly(1.0)
    if own is not None and other is not None and _are_comparable(static, dynamic):
        fitted, factor = own, _ratio(dynamic, own)
        if own.points < _FEWEST:
            fitted, factor = _together(static, dynamic) or (own, factor)
        noise = _of_mean(fitted, function)
        # What is further apart is not what the graphs take: a few calls waited for something else.
        is_compared = 1 / _FURTHEST <= factor <= _FURTHEST
        dynamic_step = Range.exactly(factor) if is_compared else DYNAMIC_STEP
        is_known = fitted.points > 1
        return StepCosts(fitted, one, dynamic_step, is_compared, is_known, eager, noise)
    if own is not None:
        noise = _of_mean(own, function)
        return StepCosts(own, one, DYNAMIC_STEP, False, own.points > 1, eager, noise)
    if other is not None:
        less, noise = _divided(one, DYNAMIC_STEP), _of_mean(other, function)
        return StepCosts(other, less, one, False, other.points > 1, eager, noise)
    return None


def _together(static: Sequence[_Point], dynamic: Sequence[_Point]) -> tuple[Fit, float] | None:
    """Return one fit for both kinds of graphs, with the factor of those for any size.

    By one of the two alone, times of sizes that it has not seen would be far off.
    """
    factor, fitted = 1.0, None
    for _ in range(_ROUNDS):
        alike = [(values, seconds / factor, weight) for values, seconds, weight in dynamic]
        fitted = fit([*static, *alike])
        if fitted is None:
            return None
        factor = _ratio(dynamic, fitted) / _ratio(static, fitted)
    return None if fitted is None else (fitted, factor)


def _of_mean(fitted: Fit, function: SizedFunction) -> float:
    """Return the noise of a mean step: what sizes are off by cancels out, the more there are."""
    shares = (calls / function.calls for calls in function.counts.values() if function.calls)
    return max(LEAST_NOISE, fitted.noise * sqrt(sum(share * share for share in shares)))


def _are_comparable(one: Iterable[_Point], two: Iterable[_Point]) -> bool:
    """Return whether steps were timed both ways of one size, or of several sizes in one way.

    Of one size each they differ by the size as well.
    """
    sizes, others = ({values for values, _, _ in points} for points in (one, two))
    return max(len(sizes), len(others)) > 1 or sizes == others


def _ratio(points: Iterable[_Point], fitted: Fit) -> float:
    """Return how many times as long as fitted the times are: the median, by their weights."""
    found = sorted((seconds / fitted.seconds(values), weight) for values, seconds, weight in points)
    half = sum(weight for _, weight in found) / 2
    sums = accumulate(weight for _, weight in found)
    return next(ratio for (ratio, _), so_far in zip(found, sums, strict=True) if so_far >= half)


def _points(function: SizedFunction, way: Way, *, whole: bool) -> list[_Point]:
    return [
        (row.values, seconds, float(min(row.calls, _MOST_WEIGHT)))
        for row in function.rows
        if row.way == way and (seconds := _seconds(row, whole=whole))
    ]


def _seconds(row: CallRow, *, whole: bool) -> float | None:
    return row.step if whole else row.seconds


def elements_of(values: Iterable[int]) -> int:
    """Return the product of sizes: the share of padding is one of it."""
    return prod(values)


@dataclass(frozen=True, slots=True)
class CompileCosts:
    """Seconds of compiling the function, backwards included: for one size, and for any.

    ``first_static`` and ``first_dynamic`` are those of the first compile of a process, which does
    what later ones (``static``, ``dynamic``) find done. ``now`` is what the compiles of this run
    took, ``first_now`` the first of them, ``number`` how many there were. ``spared_by_lowering`` is
    what a size's backward would take less if it were lowered, for up to ``most_lowered`` sizes;
    None where it is, or cannot be. ``noise`` is the share by which a compile may be off.
    """

    first_static: Range
    first_dynamic: Range
    static: Range
    dynamic: Range
    now: float
    first_now: float
    number: int
    spared_by_lowering: Range | None = None
    most_lowered: int = 0
    noise: float = LEAST_NOISE

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
            timed = _timed(compiled, function.process, is_static=is_static)
            by_code.setdefault(compiled.code_number, []).append(timed)
    captures = function.process.captures
    if not by_code or (captures and costs is None):
        return None
    zero = Range.exactly(0.0)
    total = CompileCosts(zero, zero, zero, zero, 0.0, 0.0, 0)
    for compiles in by_code.values():
        total = _sum(total, _of_code(compiles))
    backwards = [
        max(0.0, cost.seconds - _waited(capture, function.process))
        for capture in captures
        if costs is not None and (cost := costs.of_capture(capture)) is not None
    ]
    if backwards:
        first = Range.exactly(backwards[0])
        later = Range.exactly(median(backwards[1:] or backwards))
        # A backward for each compile: what else made captures makes them with any plan.
        more = max(0, min(total.number, len(backwards)) - 1)
        spent = first.likely + more * later.likely
        own = CompileCosts(first, first, later, later, spent, first.likely, 0)
        total = _sum(total, own)
        total = _with_lowering(total, function)
    return total


def _waited(capture: Capture, process: Process) -> float:
    """Return the seconds for which a capture, and what it compiled, had no core."""
    events = [f"!{capture.id}"]
    events += [one.compile_id for one in process.compiles if one.capture == capture.id]
    return sum(process.core_waits.get(event, 0.0) for event in dict.fromkeys(events))


def _with_lowering(costs: CompileCosts, function: SizedFunction) -> CompileCosts:
    """Return the costs with what lowering would spare; as they are where it is on, or cannot be."""
    process = function.process
    if process.engine != "ca" or any(one.lowering is not None for one in process.captures):
        return costs
    backend = "inductor" if any(one.cache for one in function.compiles) else "aot_eager"
    traced = [
        _timed(compiled, process, is_static=True).traced
        for compiled in process.compiles
        if compiled.capture is not None and not compiled.is_refused
    ]
    if not any(traced):
        return costs
    return replace(
        costs,
        spared_by_lowering=LOWERED.times(median(traced[1:] or traced)),
        most_lowered=MOST_LOWERED_SIZES[backend],
    )


def _sum(one: CompileCosts, other: CompileCosts) -> CompileCosts:
    return CompileCosts(
        one.first_static + other.first_static,
        one.first_dynamic + other.first_dynamic,
        one.static + other.static,
        one.dynamic + other.dynamic,
        one.now + other.now,
        one.first_now + other.first_now,
        max(one.number, other.number),
        noise=max(one.noise, other.noise),
    )


def compile_seconds(compiled: Compile, process: Process) -> float:
    """Return what a compile took, without the time for which no core was free."""
    return max(0.0, (compiled.seconds or 0.0) - process.core_waits.get(compiled.compile_id, 0.0))


class _Timed(NamedTuple):
    """A compile: its seconds, the backend's among them, and whether it was for one size."""

    seconds: float
    backend: float
    is_static: bool

    @property
    def traced(self) -> float:
        """Return the seconds of Dynamo and AOTAutograd."""
        return self.seconds - self.backend

    def more(self, of_torch: Range) -> Range:
        """Return how many times as long it takes for any size, as its phases say."""
        share = self.backend / self.seconds if self.seconds else 0.0
        return of_torch.times(1 - share) + DYNAMIC_BACKEND.times(share)


def _timed(compiled: Compile, process: Process, *, is_static: bool) -> _Timed:
    seconds = compile_seconds(compiled, process)
    backend = compiled.phases.get("backend", 0.0) * seconds / (compiled.seconds or 1.0)
    return _Timed(seconds, min(seconds, backend), is_static)


def _of_code(compiles: Sequence[_Timed]) -> CompileCosts:
    """Return what compiling one code costs, by its compiles in this run, the first one first."""
    first = compiles[0]
    of_size = [one for one in compiles[1:] if one.is_static]
    of_any = [one for one in compiles[1:] if not one.is_static]
    static = Range.exactly(median(one.seconds for one in of_size)) if of_size else None
    dynamic = Range.exactly(median(one.seconds for one in of_any)) if of_any else None
    more = (of_size or of_any or [first])[0].more(DYNAMIC_COMPILE)
    seconds = Range.exactly(first.seconds)
    if static is None:
        # No later compile takes longer than the first one.
        later = _LATER.scaled(seconds) if dynamic is None else _divided(dynamic, more)
        static = Range(*map(min, later, seconds))
    if dynamic is None:
        dynamic = more.scaled(static)
    extra = (
        Range.exactly(max(0.0, dynamic.likely - static.likely))
        if of_size and of_any
        else _more_at_first(first, static)
    )
    if first.is_static:
        # Nor is a first one shorter than a later one.
        firsts = (seconds, Range(*map(max, seconds + extra, dynamic if of_any else static)))
    else:
        less = Range(seconds.low - extra.high, seconds.low - extra.likely, seconds.low - extra.low)
        firsts = (Range(*map(max, less, static)), seconds)
    spent = sum(one.seconds for one in compiles)
    noise = max(LEAST_NOISE, _spread(of_size), _spread(of_any))
    return CompileCosts(
        *firsts, static, dynamic,
        now=spent, first_now=first.seconds, number=len(compiles), noise=noise,
    )  # fmt: skip


def _more_at_first(first: _Timed, later: Range) -> Range:
    """Return what the first compile takes more for any size than for one; it may be less."""
    share = first.backend / first.seconds if first.seconds else 0.0
    traced = later.times(1 - share)
    return Range(
        *(
            most * (traced.high if most < 0 else of_torch) + (of_backend - 1) * first.backend
            for most, of_torch, of_backend in zip(
                MORE_AT_FIRST, traced, DYNAMIC_BACKEND, strict=True
            )
        )
    )


def _spread(compiles: Sequence[_Timed]) -> float:
    """Return the share by which the mean of such compiles is off; 0 of fewer than two."""
    seconds = [one.seconds for one in compiles]
    if len(seconds) < 2 or not sum(seconds):
        return 0.0
    return stdev(seconds) / mean(seconds) / sqrt(len(seconds))


def _divided(one: Range, by: Range) -> Range:
    return Range(one.low / by.high, one.likely / by.likely, one.high / by.low)
