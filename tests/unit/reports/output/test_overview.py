"""The top of the page: the bar, what ran, how it ended, the ranks."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import ca_reports
from ca_engine.incarnation import incarnation_of
from ca_reports.diagnosis.analysis import analyze
from ca_reports.diagnosis.limitations import limitations
from ca_reports.facts.summary import Apart
from ca_reports.output import advice, html, overview
from ca_reports.output.runs import Loss, headline, loss
from ca_reports.words.numbers import duration
from tests.unit.logwriter import START, LogWriter, run_file, sample_run
from tests.unit.reports.of_ranks import job

if TYPE_CHECKING:
    from ca_reports.run.model import Run
from tests.unit.reports.output.shown import text_of
from tests.unit.reports.written import loaded


def loss_of(run: Run) -> Loss | None:
    analysis = analyze(run)
    return loss(run, analysis.summary, analysis.ranks)


def test_the_bar_is_the_run_in_parts(tmp_path: Path) -> None:
    run = loaded(sample_run(), tmp_path)
    findings = [
        (found, f"#finding-{at}") for at, found in enumerate(analyze(run).diagnosis.findings)
    ]
    parts = overview.bar(findings, loss_of(run), ())
    assert sum(part.share for part in parts) == pytest.approx(1, abs=0.03)
    assert [part.target for part in parts if part.kind == "warning"]
    assert parts[-1].label == "the rest of the run"
    assert overview.bar([], loss_of(run), ())[0].label == "other"


def test_what_is_inherent_has_its_part_of_the_bar() -> None:
    spent = [Apart("dynamic", 2, 6.0), Apart("mode", 1, None)]
    parts = overview.bar([], Loss(0.0, 20.0, of=2), spent)
    assert [(part.label, part.seconds, part.share) for part in parts] == [
        ("made a size dynamic", "3.0 s", 0.15),
        ("the rest of the run", "17.0 s", 0.85),
    ]
    assert overview.bar([], Loss(0.0, 20.0), []) == []


def test_of_several_ranks_headline_bar_and_findings_tell_what_one_of_them_lost(
    tmp_path: Path,
) -> None:
    # GIVEN four ranks that each lose the same to the same causes
    paths = []
    for rank in range(4):
        log = sample_run(pid=100 + rank, rank=rank)
        paths.append(log.write(tmp_path / f"rank_{rank}.log"))
    run = ca_reports.load(paths)
    one = ca_reports.load(paths[:1])
    analysis = analyze(run)
    assert analysis.ranks is not None

    # THEN every figure is that of one rank, and says so
    expected = headline(one, analyze(one).summary, analyze(one).diagnosis.findings).text
    told = headline(run, analysis.summary, analysis.diagnosis.findings, analysis.ranks).text
    assert told.replace("that each rank ran", "it ran") == expected
    findings = analysis.diagnosis.findings
    alone = analyze(one).diagnosis.findings
    for found, own in zip(findings, alone, strict=True):
        assert advice.seconds(found, run) == own.seconds
        assert " lost on each rank" in advice.cost(found, run)
    bars = [
        overview.bar([(one, "#") for one in found], loss_of(of), ())
        for found, of in ((findings, run), (alone, one))
    ]
    assert bars[0] == bars[1]
    page = html.render(analysis)
    assert "The bar is one rank, on average of 4." in page
    assert "All 4 processes together" in page


def test_a_run_that_lost_nothing_has_no_bar(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0)
    log.ca_backwards([(0, int(step == 0)) for step in range(5)])
    log.ca_end(START + 9, 5, 4)
    run = loaded(log, tmp_path)
    assert overview.bar([], loss_of(run), ()) == []


def test_what_ran_is_told_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "trace").mkdir()
    sample_run().write(tmp_path / "trace" / "a.log")
    (tmp_path / "run.json").write_text(json.dumps(run_file(versions={"torch": "2.13.0"})))
    run = ca_reports.load([tmp_path])
    told = overview.ran(run)
    assert {"torch 2.13.0", "ca's engine", "on box", "exit code 0"} <= set(told)
    assert overview.command(run) == "ca run train.py"
    head = html.render(analyze(run)).partition("<nav")[0]
    assert "exit code 0" in head
    assert "<code>ca run train.py</code>" in head


@pytest.mark.parametrize(
    ("known", "error", "told"),
    [
        ({"exit_code": 3}, None, "exit code 3"),
        ({"exit_code": None}, None, "ended without an exception"),
        ({"exit_code": None}, "ValueError", "ended by ValueError"),
        (
            {"exit_code": None, "end": None},
            None,
            "no end recorded: killed, or still running",
        ),
    ],
)
def test_how_a_run_ended_is_told_before_its_exit_code_is_known(
    tmp_path: Path, known: dict[str, Any], error: str | None, told: str
) -> None:
    log = LogWriter()
    log.ca_run()
    log.ca_end(START + 9, 0, 0, error=error)
    log.write(tmp_path / "trace" / "a.log")
    (tmp_path / "run.json").write_text(json.dumps(run_file(**known)))
    assert overview.ran(ca_reports.load([tmp_path]))[-1] == told


def test_a_run_that_goes_on_is_said_to(tmp_path: Path) -> None:
    log = LogWriter(pid=os.getpid())
    log.ca_run(incarnation=incarnation_of(os.getpid()))
    log.write(tmp_path / "trace" / "a.log")
    (tmp_path / "run.json").write_text(json.dumps(run_file(exit_code=None, end=None)))
    run = ca_reports.load([tmp_path])
    assert overview.ran(run)[-1] == "still running when this was written"
    assert [found.text for found in limitations(run) if found.subject == "end"] == [
        "What is still to come: the run goes on, and its last second may be missing."
    ]
    assert "exit code" not in text_of(html.render(analyze(run)))


def test_the_page_compares_ranks(tmp_path: Path) -> None:
    run = job(tmp_path, alone=2)
    view = overview.ranks_view(analyze(run))
    assert view is not None
    assert [row.rank for row in view.rows] == [0, 1, 2, 3]
    said = text_of(html.render(analyze(run)))
    assert "rank 2 parts from ranks 0–1 and 3 at step 5" in said
    assert "3 other ranks waited" in said
    assert "4 ranks" in said


def test_one_process_has_no_ranks(tmp_path: Path) -> None:
    run = loaded(sample_run(), tmp_path)
    assert overview.ranks_view(analyze(run)) is None
    assert 'id="ranks"' not in html.render(analyze(run))


def test_processes_have_no_column_that_none_of_them_can_fill(tmp_path: Path) -> None:
    """Only captures know backend, dynamic and device: a run of forwards has none."""

    def heads(log: LogWriter) -> list[str]:
        page = html.render(analyze(loaded(log, tmp_path)))
        table = re.search(r'<th scope="col">process</th>.*?</thead>', page, flags=re.S)
        assert table is not None
        return re.findall(r"<th[^>]*>([^<]*)</th>", table[0])[1:]

    forwards = LogWriter()
    forwards.ca_run(enabled=False, backend=None)
    forwards.compiled("0/0")
    assert heads(forwards) == [
        "log", "engine", "compiles", "graph breaks", "ended",
    ]  # fmt: skip
    assert heads(sample_run())[2:5] == ["backend", "backwards", "hits"]


def test_the_tile_has_the_seconds_and_the_words_of_the_headline(tmp_path: Path) -> None:
    run = job(tmp_path, alone=2)
    analysis = analyze(run)
    lost = loss(run, analysis.summary, analysis.ranks)
    assert lost is not None
    tile = overview.run_time(analysis.summary, lost)
    told = headline(run, analysis.summary, analysis.diagnosis.findings, analysis.ranks).text
    assert tile.seconds == lost.whole
    assert f"the {duration(lost.whole)} {lost.who} ran" in told
    assert tile.label in ("run time", f"{lost.who.removeprefix('that ')} ran")
    alone = Loss(1.0, 58.6, "that 2 processes")
    assert overview.run_time(analysis.summary, alone) == overview.RunTime("2 processes ran", 58.6)
    unknown = overview.run_time(analysis.summary, None)
    assert unknown == overview.RunTime("run time", analysis.summary.seconds_total)


def test_a_number_of_one_has_a_noun_in_the_singular(tmp_path: Path) -> None:
    page = html.render(analyze(loaded(sample_run(), tmp_path)))
    told = re.findall(r"<dt>([a-z ]+)</dt><dd>1(?=<| )", page)
    assert told
    assert not [noun for noun in told if noun.endswith("s")]


LIMIT_ALONE = Path(__file__).parents[3] / "fixtures" / "pasted" / "limit_behind_a_bar.txt"


def test_a_text_without_a_number_has_no_row_of_dashes() -> None:
    page = html.render(analyze(ca_reports.load([LIMIT_ALONE])))
    assert '<dl class="numbers">' not in page
    # THEN what the text does not hold is not 0 of its process either
    cells = re.findall(r'<td class="number">([^<]*)</td>', page[page.index('id="run-title"') :])
    assert cells[:2] == ["–", "–"]
    assert "no graph break and no damage" not in page


def test_a_killed_process_is_not_one_whose_end_is_unknown(tmp_path: Path) -> None:
    run = loaded(sample_run(), tmp_path)
    (process,) = run.processes
    assert overview.process_end(process) == "in order"
    killed = replace(process, end=None)
    assert overview.process_end(killed) == "killed, or ended by os._exit"
    assert overview.process_end(replace(killed, recorded=False)) == "unknown"
