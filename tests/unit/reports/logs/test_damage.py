"""What could not be read."""

from __future__ import annotations

from ca_reports.logs.damage import LISTED_PER_KIND
from tests.unit.reports.logs.written import good, read


def test_damage_is_listed_up_to_a_bound_and_then_counted() -> None:
    records, damage = read(b"\torphan\n---\n" * 5000 + good())
    assert len(records) == 1
    found = damage.items()
    assert len(found) == 2 * (LISTED_PER_KIND + 1)
    assert sum(entry.count for entry in found if entry.kind == "orphan_payload") == 5000
    assert sum(entry.count for entry in found if entry.kind == "not_a_record") == 5000
