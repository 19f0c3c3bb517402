"""Words about a recompile limit that was hit."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.console import Console

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.facts.recompile_limits import RecompileLimit
from ca_reports.output import html, terminal
from ca_reports.output import json as as_json
from ca_reports.run.model import Compile
from ca_reports.sentences.limits import in_its_thread, words_of
from tests.unit.logwriter import START, LogWriter
from tests.unit.reports.limited import limit_of, run_of

if TYPE_CHECKING:
    from pathlib import Path


def test_a_limit_says_which_when_and_how_fast_steps_were(tmp_path: Path) -> None:
    found = limit_of(run_of(tmp_path))
    assert (found.name, found.step) == ("accumulated_recompile_limit", 10)
    assert found.before is not None
    assert abs(found.before - 0.02) < 1e-3
    assert found.after is not None
    assert abs(found.after - 0.05) < 1e-3
    assert found.into_run is not None
    assert abs(found.into_run - 2.19) < 1e-2
    # The compile that Dynamo gave up names no function; the others of its code do.
    assert found.location is not None
    assert found.location.function == "step"
    told = words_of(found)
    assert "hit accumulated_recompile_limit 2.2 s into the run (step 10)" in told
    assert "a step takes 50 ms instead of 20 ms (2.5 times as long)" in told


def test_where_each_step_compiled_nobody_knows_how_long_one_took(tmp_path: Path) -> None:
    """What was left of them without the compiles came to be seven times an uncompiled step."""
    found = limit_of(run_of(tmp_path, compile_in_each=True))
    assert found.before is None
    assert found.after is not None
    assert words_of(found).endswith("has run uncompiled since")


def test_a_log_without_steps_says_when_and_no_more(tmp_path: Path) -> None:
    log = LogWriter()
    log.compiled("0/0", start_time=START)
    log.compiled("0/1", start_time=START + 1, fail_reason="recompile_limit reached")
    found = limit_of(ca_reports.load([str(log.write(tmp_path / "trace.log"))]))
    assert (found.name, found.step, found.before, found.after) == (
        "recompile_limit", None, None, None,
    )  # fmt: skip
    assert words_of(found) == "hit recompile_limit and has run uncompiled since"


def test_a_limit_of_another_thread_is_told_with_the_one_that_was_set() -> None:
    given_up = Compile("0/8", 0, None, 1, None)
    limit = RecompileLimit(given_up, "recompile_limit", None, 2.0, None, None, "call", 8)
    assert in_its_thread(limit) == ""
    set_in_main = replace(limit, thread="runner_0", set_elsewhere=32)
    assert words_of(set_in_main).startswith(
        "hit recompile_limit (8 in the thread `runner_0`, 32 in the main one) 2.0 s into the run"
    )
    assert in_its_thread(set_in_main).startswith("pass `recompile_limit=32` to `torch.compile`")


def test_every_output_has_the_limit(tmp_path: Path) -> None:
    analysis = analyze(run_of(tmp_path))
    (told,) = json.loads(as_json.render(analysis))["limits"]
    assert told["limit"] == "accumulated_recompile_limit"
    assert told["step"] == 10
    assert told["step_after"] > told["step_before"]
    out = io.StringIO()
    terminal.render(analysis, Console(file=out, width=120))
    assert "Functions that hit a recompile limit" in out.getvalue()
    assert "50 ms" in out.getvalue()
    assert "Functions that hit a recompile limit" in html.render(analysis)
