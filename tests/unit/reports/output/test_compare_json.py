"""A comparison of two runs as JSON."""

from __future__ import annotations

import json

from ca_reports.comparison.runs import Outcome
from ca_reports.output import compare_json
from ca_reports.run.model import Run
from tests.unit.reports.output.reported import compared


def test_a_comparison_as_json(run: Run) -> None:
    found = compared(run)
    document = json.loads(compare_json.render(Outcome(found)))
    assert len(document["findings"]["new"]) == len(found.new) == 1
    captures = len(run.captures)
    assert document["counts"]["captures"] == {"base": captures, "head": captures}
