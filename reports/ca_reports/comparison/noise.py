"""Measured times with their error.

Times of a training job are skewed and have outliers, so nothing here assumes a distribution:
medians, and intervals of them by the ranks of the samples.
"""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING, Literal

from ca_engine.lazy_classes import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

# With fewer samples than this no interval of ranks holds the median 19 times in 20.
FEWEST = 6

Answer = Literal["slower", "faster", "no difference", "too few"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A median of ``samples`` numbers, and where it lies 19 times in 20; None if too few."""

    samples: int
    median: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Ratio:
    """The ratio of two times: ``value`` 1.1 is 10% longer.

    ``low`` and ``high`` bound it as far as the spread within the runs tells.
    """

    value: float
    low: float | None
    high: float | None

    @property
    def answer(self) -> Answer:
        """Return what the samples allow to be said."""
        if self.low is None or self.high is None:
            return "too few"
        if self.low > 1:
            return "slower"
        return "faster" if self.high < 1 else "no difference"


def interval(samples: Sequence[float]) -> Interval | None:
    """Return the median and its 95% interval by the ranks' normal bound; None of nothing."""
    if not samples:
        return None
    ordered = sorted(samples)
    number = len(ordered)
    if number < FEWEST:
        return Interval(number, median(ordered), None, None)
    rank = max(0, math.floor((number - 1.96 * math.sqrt(number)) / 2))
    return Interval(number, median(ordered), ordered[rank], ordered[number - 1 - rank])


def ratio(before: Interval | None, after: Interval | None) -> Ratio | None:
    """Divide ``after`` by ``before``, at both intervals' far ends; None if one has no sample."""
    if before is None or after is None or before.median <= 0:
        return None
    low = high = None
    if before.low and before.high and after.low is not None and after.high is not None:
        low, high = after.low / before.high, after.high / before.low
    return Ratio(after.median / before.median, low, high)


def paired(pairs: Sequence[tuple[float, float]]) -> Ratio | None:
    """Return the median of the ratios of pairs of (before, after); None without any."""
    found = interval([after / before for before, after in pairs if before > 0])
    return None if found is None else Ratio(found.median, found.low, found.high)
