"""A record for each test of a session."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from ca_pytest.recorder import SessionRecorder, _unused
from tests.plugin.sessions import run

if TYPE_CHECKING:
    from pathlib import Path

pytest_plugins = "pytester"


def test_records_are_kept_where_asked(session: pytest.Pytester) -> None:
    session.makepyfile(
        """
        import pytest
        from helper import train

        @pytest.mark.parametrize("sizes", [[8, 8], [8, 3]], ids=["same", "a/b: c"])
        def test_it(sizes):
            train(sizes)

        def test_nothing():
            pass
        """
    )
    result = run(session, "--ca", "--ca-output", "out")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["ca explain-recompiles out/TEST"])
    folders = sorted(path.name for path in (session.path / "out").iterdir())
    name = "test_records_are_kept_where_asked.py.test_it"
    assert folders == [f"{name}[a-b-c]", f"{name}[same]"]
    kept = session.path / "out" / folders[0]
    assert "<html" in (kept / "report.html").read_text()
    assert not (session.path / "out" / folders[1] / "report.html").exists()
    done = session.run(
        sys.executable, "-m", "ca_cli", "explain-recompiles", kept, "--format", "json"
    )
    assert json.loads(done.stdout.str())["summary"]["recaptures"] == 1

    again = run(session, "--ca", "--ca-output", "out")
    assert again.ret == pytest.ExitCode.USAGE_ERROR
    again.stderr.fnmatch_lines(["*--ca-output: out exists and is not an empty folder*"])


def test_an_option_that_keeps_nothing_says_so(session: pytest.Pytester) -> None:
    session.makepyfile("def test_it():\n    pass\n")
    result = run(session, "--ca-output", "out")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["--ca-output: no test was recorded; --ca records all, *"])


def test_records_that_are_not_kept_are_removed(
    session: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    session.makepyfile(
        """
        import os, tempfile
        from helper import train

        def test_it(ca_record):
            train([8])
            assert any(name.startswith("ca-pytest-") for name in os.listdir(tempfile.gettempdir()))
        """
    )
    run(session).assert_outcomes(passed=1)
    assert not list(tmp_path.glob("ca-pytest-*"))


def test_each_test_has_a_folder_of_its_name_and_again_of_the_next_number(tmp_path: Path) -> None:
    recorder = SessionRecorder(str(tmp_path / "kept"))
    nodeid = "tests/test_a.py::TestA::test_it[x/y z]"
    names = []
    for _ in range(2):
        recorder.begin(nodeid, tmp_path, None)
        folder = _unused(tmp_path / "kept", nodeid)
        folder.mkdir(parents=True)
        names.append(folder.name)
    assert names == [
        "tests-test_a.py.TestA.test_it[x-y-z]", "tests-test_a.py.TestA.test_it[x-y-z]-2",
    ]  # fmt: skip
    assert len(_unused(tmp_path, "test_" + "x" * 500).name) <= 120
    recorder.close()
    assert (tmp_path / "kept").is_dir()


def test_records_without_a_place_go_with_the_session() -> None:
    recorder = SessionRecorder(None)
    folder = recorder._folder
    assert folder.is_dir()
    recorder.close()
    assert not folder.exists()
