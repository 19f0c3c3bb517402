"""Entries of a cache file go once no start has used them for long."""

from __future__ import annotations

from ca_engine import cache_age
from ca_engine.cache_age import MOST_BYTES, MOST_DAYS, AgedEntry

TODAY = 20_000


def gone(*entries: AgedEntry) -> set[str]:
    return {key for _, key in cache_age.outdated(entries, TODAY)}


def test_what_was_not_used_for_long_goes() -> None:
    kept = AgedEntry("inductor", "kept", TODAY - MOST_DAYS, 1)
    assert gone(kept, AgedEntry("inductor", "old", TODAY - MOST_DAYS - 1, 1)) == {"old"}


def test_the_longest_unused_go_first_where_all_is_too_much() -> None:
    third = MOST_BYTES // 3
    entries = [AgedEntry("inductor", f"{age} days", TODAY - age, third) for age in (3, 1, 2, 4)]
    assert gone(*entries) == {"4 days"}
    # A small one finds a place that a larger one does not.
    assert gone(*entries, AgedEntry("pgo", "ca", TODAY - 5, 1)) == {"4 days"}


def test_what_was_used_today_stays_whatever_its_size() -> None:
    entries = [AgedEntry("inductor", str(number), TODAY, MOST_BYTES) for number in range(3)]
    assert gone(*entries, AgedEntry("inductor", "before", TODAY - 1, 1)) == {"before"}
    # A clock that went wrong.
    assert gone(AgedEntry("inductor", "tomorrow", TODAY + 1, 1)) == set()
