"""``ca caches --format json``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ca_reports.output import caches_json
from tests.unit.reports.costs.caches.made import PARTS, start_of, started

if TYPE_CHECKING:
    from pathlib import Path


def test_each_graph_has_its_key_and_what_differs(tmp_path: Path) -> None:
    start = started(tmp_path, start_of({**PARTS, "cpp_runtime_thread_count": "1"}), start_of())

    found = json.loads(caches_json.render(start))

    assert found["summary"] == {
        "compiles": 1, "warm": 0, "traced": 0, "compiled": 1, "bypassed": 0,
        "lookups": {
            "fx": {"hit": 0, "miss": 1, "bypass": 0},
            "aot": {"hit": 0, "miss": 0, "bypass": 0},
            "dynamo": {"hit": 0, "miss": 0, "bypass": 0},
        },
        "from_file": 0, "from_remote": 0, "bundled_kernels": 0,
        "tuned_kernels": {"hit": 0, "miss": 0, "single": 0, "off": 0},
        "seconds": 4.0, "saved": 0.0, "unexplained": 0,
    }  # fmt: skip
    (graph,) = found["graphs"]
    assert (graph["compile"], graph["cache"], graph["graph"]) == ("0/0", "fx", "forward")
    assert (graph["state"], graph["outcome"], graph["seconds"]) == ("miss", "compiled", 4.0)
    assert graph["function"] == "step"
    assert graph["key"].startswith("f")
    assert graph["partner"] == {"process": 0, "compile": "0/0", "is_same_function": True}
    difference = {
        "component": "cpp_runtime_thread_count",
        "input": None,
        "meaning": "the number of threads that CPU kernels are compiled for",
        "before": "2",
        "after": "1",
        "line": None,
        "from": None,
        "written": None,
    }
    fix = "`OMP_NUM_THREADS=2` for every start, as the earlier run had it"
    assert graph["differs"] == [{**difference, "fix": fix, "is_cause": True}]
    (cause,) = found["causes"]
    assert cause["differs"] == [{**difference, "fix": fix}]
    assert cause["compiles"] == [{"process": 0, "compile": "0/0"}]
    assert cause["fix"] == fix
