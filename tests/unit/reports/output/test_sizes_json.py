"""``ca sizes --format json``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ca_reports.facts.sizes.examined import examine
from ca_reports.output import sizes_json
from tests.unit.reports.facts.sizes.made import automatic
from tests.unit.reports.written import loaded

if TYPE_CHECKING:
    from pathlib import Path


def test_arguments_and_plans_have_their_keys(tmp_path: Path) -> None:
    found = examine(loaded(automatic({60: 40, 250: 5}), tmp_path), 100)
    (function,) = json.loads(sizes_json.render(found))["functions"]
    (argument,) = function["arguments"]
    assert (argument["name"], argument["dimension"], argument["also"]) == ("ids", 1, ["mask[1]"])
    assert argument["histogram"] == [
        {"size": 32, "calls": 1}, {"size": 60, "calls": 40}, {"size": 250, "calls": 5},
    ]  # fmt: skip
    for plan in function["plans"]:
        low, high = plan["total_seconds_range"]
        assert low <= plan["total_seconds"] <= high
        assert plan["measured"] is (low == high)
        assert {"kind", "sizes", "compiles", "compile_seconds", "padding", "step_seconds"} <= set(
            plan
        )
    assert {plan["kind"] for plan in function["plans"]} >= {"as_is", "dynamic", "buckets"}
