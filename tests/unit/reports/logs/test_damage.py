"""What could not be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.logs.damage import LISTED_PER_KIND
from ca_reports.output.runs import headline, run_counts
from tests.unit.reports.logs.written import good, read

if TYPE_CHECKING:
    from pathlib import Path


def test_damage_is_listed_up_to_a_bound_and_then_counted() -> None:
    records, damage = read(b"\torphan\n---\n" * 5000 + good())
    assert len(records) == 1
    found = damage.items()
    assert len(found) == 2 * (LISTED_PER_KIND + 1)
    assert sum(entry.count for entry in found if entry.kind == "orphan_payload") == 5000
    assert sum(entry.count for entry in found if entry.kind == "not_a_record") == 5000


def test_where_the_only_record_is_damaged_nothing_is_known_to_be_none(tmp_path: Path) -> None:
    record = b'V1121 06:19:36.425000 7 torch/_dynamo/x.py:458] {"compiled_autograd_graph": {}, '
    record += b'"compiled_autograd_id": "zero", "attempt": 0}\n'
    (tmp_path / "a.log").write_bytes(record)
    run = ca_reports.load([tmp_path / "a.log"])
    analysis = analyze(run)
    assert headline(run, analysis.summary, ()).text == "Nothing was compiled in what could be read."
    assert run_counts(run, analysis.summary) == ""
    (gap,) = analysis.limitations
    assert (
        gap.text == "What was captured and compiled: 1 damaged place in the log could not be read."
    )
