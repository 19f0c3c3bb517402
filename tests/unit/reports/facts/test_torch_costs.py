"""What torch's own capture and Dynamo would take for what was lowered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ca_reports
from ca_engine import schema
from ca_reports.diagnosis.analysis import analyze
from ca_reports.facts import torch_costs
from ca_reports.output import json as json_output
from ca_reports.sentences.lowering import (
    engine_lines,
)
from ca_reports.words.numbers import duration
from tests.unit.logwriter import LogWriter
from tests.unit.reports.lowerings import LOWERED, REFUSED

if TYPE_CHECKING:
    from pathlib import Path


def test_it_says_what_torchs_own_capture_and_dynamo_would_add(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    for number, record in enumerate((LOWERED, REFUSED)):
        log.ca_capture(number, fx_nodes={"total": 1000})
        log.own(schema.LOWERING_RECORD, **{"capture": number, **record})
    analysis = analyze(ca_reports.load([log.write(tmp_path / "trace.log")]))
    capture, dynamo = torch_costs.CAPTURE.times(2000), torch_costs.LOWERING["inductor"].times(1000)
    first, second, _ = engine_lines(analysis.run)
    assert first.endswith(
        f"with ca's engine; torch's would add about {duration(capture.seconds)} "
        f"({duration(capture.least)} to {duration(capture.most)}): --engine torch measures it."
    )
    assert f"; Dynamo would add about {duration(dynamo.seconds)} (" in second
    assert json_output.document(analysis)["torch_would_add"] == {
        "capture": {
            "seconds": capture.seconds,
            "least": capture.least,
            "most": capture.most,
        },
        "dynamo": {"seconds": dynamo.seconds, "least": dynamo.least, "most": dynamo.most},
    }


def test_of_a_run_with_torchs_engine_nothing_is_estimated(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run(engine="torch")
    log.ca_capture(0, fx_nodes={"total": 1000})
    analysis = analyze(ca_reports.load([log.write(tmp_path / "trace.log")]))
    assert list(engine_lines(analysis.run)) == []
    assert json_output.document(analysis)["torch_would_add"] == {"capture": None, "dynamo": None}
