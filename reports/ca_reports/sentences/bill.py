"""Words for the caches beside the compile bill."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ca_reports.words.numbers import and_more, counted, duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.costs.bill import BillLine

_REASONS = 3


def about_caches(bill: Sequence[BillLine]) -> Iterator[str]:
    """Say what hits saved, what filled caches can save, and why one was not asked."""
    saved = sum(line.saved for line in bill)
    if saved:
        yield f"Cache hits saved {duration(saved)}, by torch's account."
    could_save = sum(line.could_save for line in bill)
    if could_save:
        yield (
            f"A start with these caches filled saves up to {duration(could_save)}; `ca caches` "
            "says why this one missed."
        )
    reasons: Counter[str] = Counter()
    for line in bill:
        reasons.update(line.bypasses)
    for reason, times in reasons.most_common(_REASONS):
        yield f"Not cached, so compiled at each start ({counted(times, 'graph')}): {reason}"
    if len(reasons) > _REASONS:
        yield f"{and_more(len(reasons) - _REASONS, 'reason')}: see --format json"
