"""Words about a run as a whole."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.facts.summary import Apart
from ca_reports.output.runs import Headline, graph_totals, headline, run_counts, run_totals
from ca_reports.run.model import Run
from tests.unit.logwriter import START, LogWriter
from tests.unit.reports.recaptured import recapturing

if TYPE_CHECKING:
    from pathlib import Path


def test_one_process_that_was_recorded_twice(tmp_path: Path) -> None:
    recapturing().write(tmp_path / "trace_0.log")
    recapturing(START + 5000).write(tmp_path / "trace_1.log")
    run = ca_reports.load([tmp_path])
    said = run_totals(run, analyze(run).summary)

    assert len(run.processes) == 2
    assert "that 2 recordings ran (99%)." in said


def test_a_run_without_recompiles_is_good(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0)
    log.torch_capture(0)
    log.compiled("!0/0/0", 0.5)
    log.ca_backwards([(0, 1), (0, 0)])
    log.ca_end(START + 60, 2, 1)
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    assert headline(run, analyze(run).summary) == Headline("No recompiles.", "good")


@pytest.mark.parametrize("told", ["so far", "in what was recorded"])
def test_a_recording_without_its_end_is_no_all_clear(tmp_path: Path, told: str) -> None:
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0)
    log.torch_capture(0)
    log.compiled("!0/0/0", 0.5)
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    run = replace(
        run, processes=tuple(replace(one, is_running=told == "so far") for one in run.processes)
    )
    assert headline(run, analyze(run).summary) == Headline(f"No recompiles {told}.", "neutral")


def test_a_loss_that_the_log_does_not_tell_is_unknown(tmp_path: Path) -> None:
    log = LogWriter()
    log.torch_capture(0)
    log.torch_capture(1)
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    summary = replace(analyze(run).summary, seconds_lost=None, recaptures=1)
    found = headline(run, summary)
    assert found.text == "1 recapture; this log has no times, so the loss is unknown."
    assert found.tone == "neutral"


def test_a_compile_that_raised_is_told_as_one(tmp_path: Path) -> None:
    raised: dict[str, Any] = {
        "fail_type": "BackendCompilerFailed",
        "fail_reason": "backend='own' raised: E: no",
    }
    for number, words in ((1, ", which raised"), (2, ", of which 1 raised")):
        log = LogWriter()
        log.ca_run(enabled=False, backend=None)
        for at in range(number - 1):
            log.compiled(f"{at}/0", 1.0)
        log.compiled(f"{number - 1}/0", 1.0, **raised)
        log.ca_end(START + 9, 0, 0)
        run = ca_reports.load([log.write(tmp_path / f"{number}.log")])
        summary = analyze(run).summary
        assert f" of {number} function{'s' if number > 1 else ''}" in run_counts(run, summary)
        assert f" s{words}; no recompiles" in run_counts(run, summary)
        assert bool(graph_totals(run, summary)) is (number > 1)


def test_what_is_inherent_is_told_as_what_it_is(tmp_path: Path) -> None:
    run = ca_reports.load([recapturing().write(tmp_path / "trace.log")])
    summary = analyze(run).summary
    # GIVEN the recapture of a step that accumulates, and of the recompiles one of a warm-up
    apart = (Apart("accumulation", 1, 2.0, recaptures=1), Apart("warm_up", 3, 1.0, recaptures=1))
    known = replace(summary, inherent=apart, recaptures=2, forward_recompiles=4)

    assert known.inherent_recompiles == 2
    said = headline(run, known).text
    assert "1 recapture (for gradients that are added to)" in said
    assert "1 recapture and 2 recompiles (in a warm-up)" in said
    counts = run_counts(run, known)
    assert "4 forward recompiles (2 in a warm-up)" in counts
    assert "1 for gradients that are added to, 1 in a warm-up" in counts


def test_an_empty_log_lost_nothing_that_anybody_knows() -> None:
    run = Run((), (), ())
    assert headline(run, analyze(run).summary) == Headline("Nothing was recorded.", "neutral")


def test_what_notes_tell_of_is_no_cause(tmp_path: Path) -> None:
    run = ca_reports.load([recapturing().write(tmp_path / "trace.log")])
    analysis = analyze(run)
    first, *others = (found for found in analysis.diagnosis.findings if found.seconds)
    causes = [replace(found, is_note=False) for found in (first, *others)]
    assert f"to {len(causes)} cause" in headline(run, analysis.summary, causes).text

    noted = [replace(found, is_note=True) for found in causes]
    assert headline(run, analysis.summary, noted).text.startswith("Nothing to change: ")
    assert headline(run, analysis.summary, noted).tone == "neutral"
    some = [causes[0], *(replace(found, is_note=True) for found in causes)]
    assert "to 1 cause." in headline(run, analysis.summary, some).text
