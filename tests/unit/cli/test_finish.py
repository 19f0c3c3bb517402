"""The end of a run: its traces, and what is said of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import pytest

from ca_cli.finish import LARGE_TRACE, copy_traces, say_size, shown_path, trace_files


# --- the end of a run ---------------------------------------------------------------------
def test_traces_are_copied_where_links_do_not_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "trace").mkdir()
    (tmp_path / "trace" / "one.log").write_text("one")
    (tmp_path / "trace" / "empty.log").write_text("")

    def fail(source: Path, target: Path) -> NoReturn:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", fail)
    traces = trace_files(tmp_path)
    copy_traces(traces, tmp_path / "new" / "logs")

    assert traces == [tmp_path / "trace" / "one.log"]
    assert (tmp_path / "new" / "logs" / "one.log").read_text() == "one"


def test_a_log_of_the_users_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "trace").mkdir()
    (tmp_path / "trace" / "one.log").write_text("ours")
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "one.log").write_text("theirs")

    copy_traces(trace_files(tmp_path), tmp_path / "logs")

    assert (tmp_path / "logs" / "one.log").read_text() == "theirs"


def test_paths_are_shown_as_typed() -> None:
    assert shown_path(Path("/a/b/ca-runs/x"), "/a/b") == "ca-runs/x"
    assert shown_path(Path("/elsewhere/x"), "/a/b") == "/elsewhere/x"


def test_the_end_of_a_run_says_what_its_traces_take(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    traces = [tmp_path / "a.log", tmp_path / "b.log"]
    for trace in traces:
        with trace.open("wb") as file:
            file.truncate(LARGE_TRACE * 3 // 4)
    say_size(traces[:1])
    assert capsys.readouterr().err == ""
    say_size(traces)
    assert capsys.readouterr().err == "\nThe trace takes 1.5 MB.\n"
