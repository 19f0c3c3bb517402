"""``ca_lowering``: read into its capture, told in words and in the JSON, damage included."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, get_args

import pytest
from rich.console import Console

import ca_reports
from ca_engine import schema
from ca_reports import torch_costs
from ca_reports.analysis import analyze
from ca_reports.lowered import RecordedLowering
from ca_reports.render import json as json_output
from ca_reports.render import terminal
from ca_reports.rules.size_advice import lowered_sizes
from ca_reports.text import lowering as words
from ca_reports.text.lowering import (
    engine_lines,
    lowering_lines,
    lowering_reason,
    lowering_words,
)
from ca_reports.text.numbers import duration
from tests.unit.logwriter import LogWriter

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.model import Run

LOWERED = {"way": "l2", "backend": "inductor", "seconds": 0.25, "cache": "hit", "reason": None}
SIZED = {"way": "l2", "backend": "aot_eager", "seconds": 0.25, "reason": None}
REFUSED = {
    "way": "no",
    "backend": "aot_eager",
    "seconds": 0.01,
    "reason": "python_hook",
    "detail": "double",
    "file": "/home/user/train.py",
    "line": 40,
}


def run_of(folder: Path, *records: dict[str, Any]) -> Run:
    log = LogWriter()
    log.ca_run()
    for capture, record in enumerate(records):
        log.ca_capture(capture)
        log.own(schema.LOWERING_RECORD, **{"capture": capture, **record})
    return ca_reports.load([log.write(folder / "trace.log")])


def test_it_belongs_to_its_capture(tmp_path: Path) -> None:
    run = run_of(tmp_path, LOWERED, REFUSED)
    first, second = run.captures
    assert first.lowering is not None
    assert second.lowering is not None
    assert (first.lowering.is_lowered, second.lowering.is_lowered) == (True, False)
    # What lowering took is what the graph's compile took: Dynamo wrote nothing.
    assert first.seconds.compile == pytest.approx(0.001 + 0.25)
    assert second.seconds.compile == pytest.approx(0.001)


def test_the_terminal_says_what_was_lowered_and_why_not(tmp_path: Path) -> None:
    run = run_of(tmp_path, LOWERED, REFUSED, REFUSED)
    out = io.StringIO()
    terminal.render(analyze(run), Console(file=out, width=120))
    assert "Lowered 1 of 3 captured graphs without Dynamo, in 0.2" in out.getvalue()
    assert "Not lowered: !1 and 1 more: Python hook double at train.py:40." in out.getvalue()


def test_the_terminal_says_what_aotautograd_traced(tmp_path: Path) -> None:
    level_1 = {**LOWERED, "way": "l1", "reason": "grad_is_read"}
    assert list(lowering_lines(run_of(tmp_path, LOWERED, level_1).captures)) == [
        "Lowered 2 of 2 captured graphs without Dynamo, in 0.50 s; "
        "Dynamo would add about 45 ms (32 ms to 76 ms).",
        "Traced by AOTAutograd: !1: the graph reads a .grad.",
    ]


def test_the_json_has_the_record(tmp_path: Path) -> None:
    (capture,) = json_output.document(analyze(run_of(tmp_path, LOWERED)))["captures"]
    assert capture["lowering"] == {
        **LOWERED,
        **dict.fromkeys(("cache_reason", "detail", "file", "line", "background")),
        "size_sets": 0,
    }


def test_without_lowering_nothing_is_said(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_capture(0)
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    assert list(lowering_lines(run.captures)) == []
    (capture,) = json_output.document(analyze(run))["captures"]
    assert capture["lowering"] is None


def lowered_capture(log: LogWriter, compile_id: str, **metrics: Any) -> None:
    """What a lowered graph leaves: the records of a compile, then ours."""
    log.compiled(compile_id, **metrics)
    capture = LogWriter.context(compile_id)["compiled_autograd_id"]
    log.own(schema.LOWERING_RECORD, **{"capture": capture, **LOWERED})


def test_its_compile_is_no_work_of_dynamos(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0)
    log.ca_capture(1, kind="changed_shapes")
    lowered_capture(log, "!0/0/0", seconds=0.25, backend_compile_time_s=0.15)
    lowered_capture(log, "!1/1/0", seconds=0.25, backend_compile_time_s=0.15)
    analysis = analyze(ca_reports.load([log.write(tmp_path / "trace.log")]))
    first, second = analysis.run.captures
    # Once: the record of lowering and the metrics of its compile tell of the same seconds.
    assert first.seconds.compile == pytest.approx(0.25)
    assert analysis.run.compiles[0].phases == pytest.approx({"lowering": 0.1, "backend": 0.15})
    cost = analysis.costs.of(second)
    assert cost is not None
    assert cost.phases["lowering"] == pytest.approx(0.1)


def test_dynamo_compiles_what_met_other_inputs(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0)
    lowered_capture(log, "!0/0/0", seconds=0.25)
    guard = {**REFUSED, "reason": "guard", "detail": "stride mismatch", "file": None, "line": None}
    log.own(schema.LOWERING_RECORD, **{"capture": 0, **guard})
    log.compiled("!0/1/0", seconds=2.0, stack=[("/home/user/train.py", 9, "step", "")])
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    assert list(lowering_lines(run.captures))[1:] == [
        "Then compiled by Dynamo: !0: guard failed: stride mismatch."
    ]
    (capture,) = run.captures
    assert capture.lowering is not None
    assert capture.lowering.way == "l2"
    assert capture.seconds.compile == pytest.approx(0.25)
    # A hit that still recompiled, as it would be had Dynamo compiled it before.
    (recompile,) = run.recompiled_captures
    assert (recompile.compile_id, recompile.recompile_reason) == ("!0/1/0", "stride mismatch")


def test_a_graph_that_is_lowered_for_several_sizes(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0)
    for sizes in ([4, 4], [6, 6]):
        log.own(schema.LOWERING_RECORD, capture=0, sizes=sizes, **SIZED)
    many = {**REFUSED, "reason": "many_sizes", "detail": "more than 2", "file": None, "line": None}
    log.own(schema.LOWERING_RECORD, **{"capture": 0, **many})
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    (capture,) = run.captures
    assert capture.lowering is not None
    assert (capture.lowering.way, capture.lowering.size_sets) == ("l2", 2)
    assert capture.lowering.seconds == 0.5
    assert lowering_words(capture.lowering) == (
        "yes (l2) for 2 sizes; then compiled by Dynamo: sizes are many: more than 2"
    )


def test_advice_on_sizes_says_what_lowered_ones_cost(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0, fx_nodes={"total": 1000})
    run = ca_reports.load([log.write(tmp_path / "plain.log")])
    assert lowered_sizes(run.captures) is None
    for sizes in ([4, 4], [6, 6]):
        log.own(schema.LOWERING_RECORD, capture=0, sizes=sizes, **SIZED)
    run = ca_reports.load([log.write(tmp_path / "lowered.log")])
    dynamic = torch_costs.DYNAMIC["aot_eager"].times(1000)
    assert lowered_sizes(run.captures) == (
        "lowered, each of 2 sizes cost 0.25 s, where a graph for all sizes would cost about "
        f"{duration(dynamic.seconds)}"
    )
    many = {**SIZED, "way": "no", "reason": "many_sizes", "detail": "more than 2"}
    log.own(schema.LOWERING_RECORD, capture=0, **many)
    run = ca_reports.load([log.write(tmp_path / "many.log")])
    assert lowered_sizes(run.captures) == (
        f"lowering stopped at {schema.MOST_LOWERED_SIZES['aot_eager']} sizes, and Dynamo compiled "
        "a graph for all others"
    )


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


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (LOWERED, "yes (l2), FxGraphCache hit"),
        (
            {**LOWERED, "cache": "bypass", "cache_reason": "a custom pass"},
            "yes (l2), FxGraphCache bypass (a custom pass)",
        ),
        (REFUSED, "no: Python hook double at train.py:40"),
        ({"way": "l1", "reason": "grad_is_read"}, "yes (l1): the graph reads a .grad"),
        (
            {"way": "l2", "reason": "guard", "detail": "stride mismatch"},
            "yes (l2); then compiled by Dynamo: guard failed: stride mismatch",
        ),
    ],
)
def test_the_page_says_in_one_line_what_became_of_a_graph(
    record: dict[str, Any], words: str
) -> None:
    assert lowering_words(RecordedLowering.from_record(record)) == words


def test_every_reason_has_words() -> None:
    assert set(get_args(schema.LoweringReason)) == set(words._REASONS)
    for reason in get_args(schema.LoweringReason):
        said = lowering_reason(RecordedLowering.from_record({"reason": reason, "detail": "x"}))
        assert said is not None
        assert "_" not in said


def test_a_record_of_no_capture_is_damage(tmp_path: Path) -> None:
    log = LogWriter()
    log.own(schema.LOWERING_RECORD, way="l2")
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    assert any("lowering without a capture" in damage.detail for damage in run.damage)


# Compiled in the background

WAITING = {
    "state": "compiling",
    "backwards": 1,
    "waited": 0.02,
    "own_seconds": 0.0,
    "compile_seconds": None,
    "reason": None,
}
READY = {
    **WAITING,
    "state": "ready",
    "backwards": 812,
    "waited": 20.0,
    "own_seconds": 0.5,
    "compile_seconds": 17.0,
}
MISS = {**LOWERED, "way": "direct", "cache": None, "background": WAITING}


def background_run(folder: Path, *later: dict[str, Any]) -> Run:
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0)
    log.own(schema.LOWERING_RECORD, **{"capture": 0, **MISS})
    for record in later:
        log.own(schema.LOWERING_RECORD, **{"capture": 0, **LOWERED, "seconds": 0.0, **record})
    return ca_reports.load([log.write(folder / "trace.log")])


def test_what_took_over_is_told_with_the_backwards_before(tmp_path: Path) -> None:
    run = background_run(tmp_path, {"cache": "miss", "background": READY})
    assert list(lowering_lines(run.captures))[1:] == [
        "Compiled 1 of 1 graph in the background, in 17.0 s, of which the training waited 0.50 s; "
        "meanwhile 812 backwards ran as captured."
    ]
    (capture,) = run.captures
    assert capture.lowering is not None
    assert lowering_words(capture.lowering) == (
        "yes (l2), FxGraphCache miss; compiled in the background in 17.0 s, took over after "
        "812 backwards"
    )
    # The miss itself, and what the training's process did since.
    assert capture.seconds.compile == pytest.approx(0.001 + 0.25 + 0.5)
    (document,) = json_output.document(analyze(run))["captures"]
    assert document["lowering"]["background"] == READY


def test_what_an_earlier_start_compiled_is_told_apart(tmp_path: Path) -> None:
    known = {**READY, "backwards": 1, "own_seconds": 0.125, "compile_seconds": None}
    run = background_run(tmp_path, {"cache": "hit", "background": known})
    assert list(lowering_lines(run.captures))[1:] == [
        "Took 1 of 1 graph from FxGraphCache, where an earlier start had left them; the training "
        "waited 0.12 s; meanwhile 1 backward ran as captured."
    ]
    (capture,) = run.captures
    assert capture.lowering is not None
    assert lowering_words(capture.lowering) == (
        "yes (l2), FxGraphCache hit; compiled by an earlier start, took over after 1 backward"
    )


def test_what_failed_in_the_background_is_told_with_its_reason(tmp_path: Path) -> None:
    why = "the compile process was killed by SIGKILL"
    failed = {"way": "direct", "background": {**READY, "state": "failed", "reason": why}}
    assert list(lowering_lines(background_run(tmp_path, failed).captures))[1:] == [
        "Compiled 0 of 1 graph in the background, in 0 s, of which the training waited 0.50 s; "
        "meanwhile 0 backwards ran as captured.",
        f"Not compiled in the background: {why}: !0.",
    ]


def test_a_run_that_ended_before(tmp_path: Path) -> None:
    assert list(lowering_lines(background_run(tmp_path).captures))[2:] == [
        "Not compiled in the background before the end: !0."
    ]


def test_a_guard_that_fails_later_is_no_compile_of_dynamos(tmp_path: Path) -> None:
    guard = {
        "way": "direct",
        "reason": "guard",
        "detail": "stride mismatch",
        "background": {**READY, "state": "guard"},
    }
    run = background_run(tmp_path, {"background": READY}, guard)
    assert list(lowering_lines(run.captures))[2:] == [
        "Runs as captured: !0: guard failed: stride mismatch."
    ]
    assert not run.recompiled_captures


def test_what_is_no_aten_graph_after_all(tmp_path: Path) -> None:
    refused = {**REFUSED, "backend": "inductor", "background": None}
    run = background_run(tmp_path, refused)
    (capture,) = run.captures
    assert capture.lowering is not None
    assert not capture.lowering.is_lowered
    assert list(lowering_lines(run.captures))[1:] == [
        "Not lowered: !0: Python hook double at train.py:40."
    ]
