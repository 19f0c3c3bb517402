"""Chooses the sizes to pad to: of all ways to have k buckets, the one whose steps take least."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections import deque
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

# Of two sizes at once so many of each are told apart, the others rounded up to the next of these.
_GRID = 8

Sizes = tuple[int, ...]
# What joining two boxes adds, when each came, which they are, and as of which change of each.
_Pair = tuple[float, int, int, Sizes, Sizes, int, int]


def best_buckets(
    counts: Mapping[int, int], seconds: Callable[[int], float], most: int
) -> dict[int, tuple[int, ...]]:
    """Return the best k sizes to pad to, for each k up to ``most`` that there are sizes for.

    ``counts`` says how often each size comes, ``seconds`` what a step of a size takes, which must
    not be less for a larger one. A size takes the next bucket that is no smaller. By dynamic
    programming over the sizes, in time proportional to their number times ``most``: for one
    bucket more the costs are lines, of which each size asks for the lowest.
    """
    sizes = sorted(counts)
    if not sizes:
        return {}
    costs = [seconds(size) for size in sizes]
    before = [0]
    for size in sizes:
        before.append(before[-1] + counts[size])
    # The cost of all sizes up to each, with one bucket less; and where its last bucket begins.
    known = [costs[at] * before[at + 1] for at in range(len(sizes))]
    begins: list[list[int]] = [[0] * len(sizes)]
    found: dict[int, tuple[int, ...]] = {1: (sizes[-1],)}
    for number in range(2, min(most, len(sizes)) + 1):
        known, begin = _one_more(known, costs, before)
        begins.append(begin)
        found[number] = _read_back(sizes, begins, number)
    return found


def _one_more(
    known: Sequence[float], costs: Sequence[float], before: Sequence[int]
) -> tuple[list[float], list[int]]:
    """Add a bucket: for each last size the least cost, and the first size of its last bucket."""
    lines: deque[tuple[int, float, int]] = deque()  # slope, offset, first size of the last bucket
    least, begin = [], []
    for at, cost in enumerate(costs):
        if at:
            _add_line(lines, (-before[at], known[at - 1], at))
        while len(lines) > 1 and _at(lines[1], cost) <= _at(lines[0], cost):
            lines.popleft()
        whole = cost * before[at + 1]
        # A line is never above zero: another bucket does no harm.
        least.append(whole + _at(lines[0], cost) if lines else whole)
        begin.append(lines[0][2] if lines else 0)
    return least, begin


def _at(line: tuple[int, float, int], cost: float) -> float:
    return line[0] * cost + line[1]


def _add_line(lines: deque[tuple[int, float, int]], new: tuple[int, float, int]) -> None:
    """Add a line of a smaller slope, and leave out those that are nowhere the lowest by then."""
    while len(lines) > 1:
        (slope, offset, _), (middle, between, _) = lines[-2], lines[-1]
        # Where the new line crosses the one before the last, the last must be lower.
        if (new[1] - offset) * (slope - middle) > (between - offset) * (slope - new[0]):
            break
        lines.pop()
    lines.append(new)


def _read_back(
    sizes: Sequence[int], begins: Sequence[Sequence[int]], number: int
) -> tuple[int, ...]:
    found = []
    last = len(sizes) - 1
    for left in range(number - 1, -1, -1):
        found.append(sizes[last])
        last = begins[left][last] - 1
        if last < 0:
            break
    return tuple(reversed(found))


def multiples(counts: Iterable[int], of: int) -> tuple[int, ...]:
    """Return the multiples of ``of`` that sizes are padded to."""
    return tuple(sorted({-(-size // of) * of for size in counts}))


def next_bucket(size: int, buckets: Sequence[int]) -> int:
    """Return the smallest of ``buckets``, in ascending order, that is no less than ``size``."""
    return buckets[min(bisect_left(buckets, size), len(buckets) - 1)]


def best_boxes(
    counts: Mapping[Sizes, int], seconds: Callable[[Sizes], float], most: int
) -> dict[int, tuple[Sizes, ...]]:
    """Return good sets of sizes to pad to where several sizes vary at once, for each k.

    Each set of sizes goes into the cheapest box that it fits into. Starting from a box for each
    set, the two boxes whose union costs least more become one, until one is left: that is not
    always the optimum. Many sizes are rounded up first, to the best few of each.
    """
    boxes = _coarse(counts, seconds)
    found: dict[int, tuple[Sizes, ...]] = {}
    pairs = _Pairs(boxes, seconds)
    while boxes:
        if len(boxes) <= most:
            found[len(boxes)] = tuple(sorted(boxes))
        if len(boxes) == 1:
            break
        pairs.join(*pairs.cheapest())
    return found


class _Pairs:
    """Costs of joining each two of ``boxes``, recomputed only where one of them changed.

    Of pairs that add the same the one of the earliest boxes comes first.
    """

    def __init__(self, boxes: dict[Sizes, int], seconds: Callable[[Sizes], float]) -> None:
        self._boxes = boxes
        self._seconds = seconds
        self._count = itertools.count()
        # When each box came, and when its calls changed last: what was reckoned before is stale.
        self._came = {box: next(self._count) for box in boxes}
        self._changed = dict(self._came)
        self._heap = [
            self._entry(one, two) for one, two in itertools.combinations(sorted(boxes), 2)
        ]
        heapify(self._heap)

    def cheapest(self) -> tuple[Sizes, Sizes]:
        """Take the two boxes whose union costs least more."""
        while True:
            _, _, _, one, two, *changed = heappop(self._heap)
            if [self._changed.get(one), self._changed.get(two)] == changed:
                return one, two

    def join(self, one: Sizes, two: Sizes) -> None:
        """Put the calls of two boxes into their union."""
        together = _union(one, two)
        calls = self._boxes.pop(one) + self._boxes.pop(two)
        del self._came[one], self._came[two], self._changed[one], self._changed[two]
        self._boxes[together] = self._boxes.get(together, 0) + calls
        now = next(self._count)
        self._came.setdefault(together, now)
        self._changed[together] = now
        for other in self._boxes:
            if other != together:
                heappush(self._heap, self._entry(*sorted((other, together))))

    def _entry(self, one: Sizes, two: Sizes) -> _Pair:
        added = _added((one, two), self._boxes, self._seconds)
        of = self._changed[one], self._changed[two]
        return added, self._came[one], self._came[two], one, two, *of


def _coarse(counts: Mapping[Sizes, int], seconds: Callable[[Sizes], float]) -> dict[Sizes, int]:
    largest = tuple(map(max, zip(*counts, strict=True)))
    grids: list[tuple[int, ...]] = []
    for at in range(len(largest)):
        own: dict[int, int] = {}
        for sizes, count in counts.items():
            own[sizes[at]] = own.get(sizes[at], 0) + count

        def alone(size: int, at: int = at) -> float:
            return seconds((*largest[:at], size, *largest[at + 1 :]))

        best = best_buckets(own, alone, _GRID)
        grids.append(best[max(best)])
    found: dict[Sizes, int] = {}
    for sizes, count in counts.items():
        rounded = tuple(next_bucket(size, grid) for size, grid in zip(sizes, grids, strict=True))
        found[rounded] = found.get(rounded, 0) + count
    return found


def _added(
    pair: tuple[Sizes, Sizes], boxes: Mapping[Sizes, int], seconds: Callable[[Sizes], float]
) -> float:
    """Return what steps take more when two boxes are one."""
    one, two = pair
    both = seconds(_union(one, two))
    return boxes[one] * (both - seconds(one)) + boxes[two] * (both - seconds(two))


def _union(one: Sizes, two: Sizes) -> Sizes:
    return tuple(map(max, one, two))


def cheapest_box(
    sizes: Sizes, boxes: Iterable[Sizes], seconds: Callable[[Sizes], float]
) -> Sizes | None:
    """Return the cheapest box that ``sizes`` fit into; None if they fit into none."""
    fitting = [
        box for box in boxes if all(own <= size for own, size in zip(sizes, box, strict=True))
    ]
    return min(fitting, key=seconds, default=None)
