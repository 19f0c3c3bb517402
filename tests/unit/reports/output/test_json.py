"""The report as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import json as json_output
from tests.unit.logwriter import sample_run
from tests.unit.reports.gates.made import crashed
from tests.unit.reports.written import loaded

if TYPE_CHECKING:
    from pathlib import Path


# ---- JSON


def test_the_json_contract(tmp_path: Path) -> None:
    text = json_output.render(analyze(loaded(sample_run(), tmp_path)))
    document = json.loads(text)
    assert text.startswith('{\n  "schema_version": 3,\n  "generator": "ca",\n  "summary": {\n')
    assert text.endswith("}\n")
    assert list(document)[:8] == [
        "schema_version", "generator", "summary", "captures", "dynamo_recompiles", "graph_breaks",
        "findings", "damage",
    ]  # fmt: skip
    assert list(document["summary"])[:8] == [
        "backwards", "hits", "captures", "recaptures", "dynamo_recompiles", "graph_breaks",
        "seconds_lost", "seconds_total",
    ]  # fmt: skip
    capture = document["captures"][1]
    assert list(capture)[:12] == [
        "id", "rank", "pid", "step", "kind", "reason", "node", "changes", "closest_capture",
        "backward_call", "nearest_module", "seconds",
    ]  # fmt: skip
    assert capture["id"] == "!1"
    assert capture["closest_capture"] == "!0"
    assert capture["node"] == {"index": 3, "name": "PowBackward0"}
    assert capture["changes"] == [
        {"index": 3, "name": "PowBackward0", "attribute": "exponent", "before": 2, "after": 3}
    ]
    assert capture["backward_call"] == {
        "file": "/home/user/train.py", "line": 11, "function": "main", "code": "loss.backward()",
    }  # fmt: skip
    assert (capture["seconds_capture"], capture["seconds_compile"]) == (0.25, 1.0)
    assert capture["seconds"] == 1.25
    captured, forward = document["dynamo_recompiles"]
    assert list(captured)[:5] == ["compile_id", "capture", "reason", "seconds", "location"]
    assert (captured["compile_id"], captured["capture"]) == ("!2/3/1", "!2")
    assert (forward["compile_id"], forward["capture"]) == ("4/1", None)
    assert forward["location"]["line"] == 7
    finding = document["findings"][0]
    assert list(finding)[:15] == [
        "code", "name", "severity", "message", "location", "is_located",
        "known_by", "candidates", "noticed_at", "captures",
        "compile_ids", "count", "seconds", "evidence", "fix",
    ]  # fmt: skip
    assert finding["fix"]
    assert finding["evidence"][0]["text"]
    assert document["failed_rules"] == []


def test_equal_logs_give_equal_json(tmp_path: Path) -> None:
    path = sample_run().write(tmp_path / "trace.log")
    assert json_output.render(analyze(ca_reports.load([path]))) == json_output.render(
        analyze(ca_reports.load([path]))
    )


def test_an_exception_out_of_a_compile_is_told_once_for_all(tmp_path: Path) -> None:
    document = json_output.document(analyze(crashed(tmp_path)))

    (failure,) = document["failures"]
    assert (failure["stage"], failure["outcome"], failure["exception"]) == (
        "compile", "ended", "BackendCompilerFailed",
    )  # fmt: skip
    assert (failure["message"], failure["compile_id"], failure["function"]) == (
        "no compiler", "0/0", "step",
    )  # fmt: skip
    assert document["summary"]["crash"] == failure
    assert [found["failure"] for found in document["findings"]] == [failure]

    caught = json_output.document(analyze(crashed(tmp_path / "caught", error="KeyError: 1")))
    assert caught["summary"]["crash"] is None
    assert caught["failures"][0]["outcome"] == "caught"
