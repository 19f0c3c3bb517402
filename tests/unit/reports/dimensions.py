"""Compiles whose sizes vary."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import json as as_json
from tests.unit.logwriter import LogWriter

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.diagnosis.analysis import Analysis


def analysis_of(folder: Path, *compiles: tuple[dict[str, list[Any]], str | None]) -> Analysis:
    """A run with these compiles of one function: sizes of the inputs, the guard that failed."""
    log = LogWriter()
    for number, (sizes, reason) in enumerate(compiles):
        context = log.context(f"0/{number}")
        if reason is not None:
            log.artifact("recompile_reasons", reason, **context)
        log.record("dynamo_output_graph", {"sizes": sizes}, "class GraphModule: ...", **context)
        log.compiled(f"0/{number}", graphs=0)
    return analyze(ca_reports.load([str(log.write(folder / "trace.log"))]))


def told(analysis: Analysis) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(as_json.render(analysis))["dynamic_shapes"]
    return found


LENGTHS = (
    ({"l_ids_": [4, 8], "l_mask_": [4, 8]}, None),
    (
        {"l_ids_": [4, "s27"], "l_mask_": [4, "s27"]},
        "0/0: tensor 'ids' size mismatch at index 1. expected 8, actual 10",
    ),
    (
        {"l_ids_": [4, "s3"], "l_mask_": [4, "s3"]},
        "0/1: 2 <= ids.size()[1] <= 16  # if ids.shape[1] > 16:  # train.py:9 in step",
    ),
)
