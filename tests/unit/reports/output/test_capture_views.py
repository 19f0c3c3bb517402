"""What the page shows of each capture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import html
from ca_reports.output.capture_views import MAX_DETAILED
from ca_reports.run.model import Process
from tests.unit.logwriter import LogWriter, sample_run

if TYPE_CHECKING:
    from pathlib import Path

from tests.unit.reports.output.shown import text_of
from tests.unit.reports.written import loaded


def test_what_is_the_closest_capture_is_said_or_why_not(tmp_path: Path) -> None:
    said = text_of(html.render(analyze(loaded(sample_run(), tmp_path))))
    assert "closest earlier capture none: it is the first" in said
    log = LogWriter()
    log.torch_capture(0)
    log.torch_capture(1)
    stock = loaded(log, tmp_path)
    assert isinstance(stock.processes[0], Process)
    assert "closest earlier capture unknown: only ca run records which" in text_of(
        html.render(analyze(stock))
    )


def test_parameters_are_listed_for_the_first_captures(tmp_path: Path) -> None:
    """A page of five hundred captures of a real model would be mostly that."""
    log = LogWriter()
    log.ca_run()
    parameter = {"index": 1, "name": "torch::autograd::AccumulateGrad", "parameter": "head.weight"}
    for id in range(MAX_DETAILED + 5):
        log.ca_capture(
            id, "new_autograd_node" if id else "first", autograd_graph=[parameter],
            closest_capture=id - 1 if id else None,
        )  # fmt: skip
        log.torch_capture(id)
    page = html.render(analyze(ca_reports.load([log.write(tmp_path / "trace.log")])))

    listed = page.count("<summary>1 parameter that it gives a gradient to</summary>")
    assert listed == MAX_DETAILED
    assert page.count("which are listed for the first captures only") == 5
