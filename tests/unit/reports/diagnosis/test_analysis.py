"""An analysis is made once for a command, and works nothing out twice."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import orjson

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.facts import process
from ca_reports.gates.config import GateSettings
from ca_reports.gates.gate import judge
from ca_reports.output import html, json, markdown
from ca_reports.output.formats import perfetto, sarif
from ca_reports.output.reported import of_analysis, of_verdict
from ca_reports.run import model
from tests.unit.logwriter import LogWriter

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_each_autograd_node_is_decoded_once_for_all_outputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = LogWriter()
    log.ca_run()
    for id in range(4):
        # Each has a node of its own, and one as all have it.
        nodes = [{"index": index, "name": f"{index * id}Backward0"} for index in range(3)]
        log.ca_capture(
            id,
            "changed_shapes" if id else "first",
            closest_capture=id - 1 if id else None,
            autograd_graph=nodes,
        )
        log.torch_capture(id)
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    lines = {line for capture in run.captures for line in capture.autograd_lines}
    decoded: Counter[bytes] = Counter()

    def loads(data: bytes) -> Any:
        decoded[data] += 1
        return orjson.loads(data)

    counting = SimpleNamespace(loads=loads, dumps=orjson.dumps)
    for module in (model, process):
        monkeypatch.setattr(module, "orjson", counting)
    analysis = analyze(run)
    for report in (of_analysis(analysis), of_verdict(judge(analysis, GateSettings()))):
        sarif.render(report)
        markdown.render(report)
    for render in (html.render, json.render, perfetto.render):
        render(analysis)
    assert len(lines) > 4
    assert decoded == Counter(lines)
