"""The verdict of a gate as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from ca_reports.comparison.runs import Outcome
from ca_reports.gates.config import GateSettings
from ca_reports.output import check_json, compare_json
from ca_reports.run.model import Run
from tests.unit.reports.gates.made import judged, sample
from tests.unit.reports.output.reported import BUDGETS, compared


def test_a_verdict_as_json(run: Run) -> None:
    verdict = judged(run, GateSettings(BUDGETS))
    document = json.loads(check_json.render(verdict))
    assert document["ok"] is False
    assert [budget["ok"] for budget in document["budgets"]] == [True, False]
    behind = document["budgets"][1]["findings"]
    assert {document["findings"][index]["code"] for index in behind} == {
        one.finding.code for one in verdict.exceeded[0].behind
    }


def test_the_guide_names_every_key(tmp_path: Path) -> None:
    run = sample(tmp_path)
    verdict = judged(run, GateSettings(BUDGETS))
    page = (Path(__file__).parents[4] / "docs" / "json.md").read_text("utf-8")
    checked, diffed = page.split("## `ca check")[1].split("## `ca diff")
    checks = json.loads(check_json.render(verdict))
    finding = {"state", "fails", "fingerprint", "path"}
    diffs = json.loads(compare_json.render(Outcome(compared(run))))
    keys = {*diffs, *diffs["counts"], *diffs["findings"], *diffs["captures"], *diffs["graphs"]}

    assert finding <= checks["findings"][0].keys()
    assert {
        key for key in {*checks, *checks["budgets"][0], *finding} if f"`{key}`" not in checked
    } == set()
    assert {key for key in keys | {*diffs["times"]["lost"]} if f"`{key}`" not in diffed} == set()
