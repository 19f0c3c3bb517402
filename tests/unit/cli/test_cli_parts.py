"""Parts of the command line that need no subprocess."""

from __future__ import annotations

import os
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from ca_cli import formats, run_folder
from ca_cli import main as main_module
from ca_cli.commands.report import default_output
from ca_cli.errors import UsageError, explain
from ca_cli.finish import LARGE_TRACE, copy_traces, say_size, shown_path, trace_files
from ca_cli.python_command import PythonCommand, TargetKind
from ca_cli.recording import recording_environment, run_name, user_environment
from ca_engine import boot
from ca_engine.settings import Settings
from tests.unit.reports.gates.made import recapturing
from tests.unit.reports.gates.made import run_folder as run_folder_of

if TYPE_CHECKING:
    from collections.abc import Callable

NOW = datetime(2026, 4, 1, 9, 30, 5)


# --- the run folder -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("train", "train-20260401-093005"),
        ("package.train", "package.train-20260401-093005"),
        ("my script (2)", "my_script_2-20260401-093005"),
        ("../../etc", "etc-20260401-093005"),
        ("...", "run-20260401-093005"),
        ("", "run-20260401-093005"),
        ("-c", "c-20260401-093005"),
        ("x" * 300, "x" * 80 + "-20260401-093005"),
    ],
)
def test_folder_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, folder: str
) -> None:
    monkeypatch.chdir(tmp_path)

    created = run_folder.create(None, name, NOW)

    assert created == tmp_path / "ca-runs" / folder
    assert (created / "trace").is_dir()


def test_folders_of_one_second_are_numbered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    names = [run_folder.create(None, "train", NOW).name for _ in range(3)]

    assert names == [f"train-20260401-093005{end}" for end in ("", "-2", "-3")]


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [
        ("file", "scripts/train.py", "train"),
        ("file", "train", "train"),
        ("file", "app/", "app"),
        ("file", ".", "here"),
        ("file", "..", "above"),
        ("module", "package.train", "package.train"),
        ("code", "print(1)", "command"),
        ("stdin", "-", "stdin"),
    ],
)
def test_run_name(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: TargetKind,
    name: str,
    expected: str,
) -> None:
    (tmp_path / "above" / "here").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "above" / "here")

    assert run_name(PythonCommand((), kind, name, ())) == expected


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"run"'])
def test_a_run_file_that_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_text(text)

    with pytest.raises(UsageError, match=r"run\.json"):
        run_folder.read_run_file(tmp_path)


# --- the environment ----------------------------------------------------------------------


def record(environment: dict[str, str], settings: Settings | None = None) -> dict[str, str]:
    return recording_environment(environment, Path("/run"), settings or Settings())


@pytest.mark.parametrize(
    "users",
    [
        {},
        {"PYTHONPATH": "lib"},
        {"PYTHONPATH": ":lib"},
        {"PYTHONPATH": "lib:"},
        {"TORCH_TRACE": "/logs", "PYTHONPATH": "a:b"},
        {"CA_DEBUG": "1"},
    ],
)
def test_the_users_environment_comes_back(users: dict[str, str]) -> None:
    recording = record({"HOME": "/home", **users})

    assert recording["TORCH_TRACE"] == "/run/trace"
    assert recording["PYTHONPATH"].startswith(boot.BOOT_FOLDER)
    assert user_environment(recording) == {"HOME": "/home", **users}


def test_an_inner_run_takes_over_from_the_outer_one() -> None:
    users = {"TORCH_TRACE": "/logs", "PYTHONPATH": "lib"}
    outer = record(users, Settings(enable=True, backend="x"))

    inner = recording_environment(outer, Path("/inner"), Settings(), root=7)

    assert inner == {
        "CA_RUN": "/inner",
        "CA_RUN_ROOT_PID": "7",
        "CA_RUN_SETTINGS": '{"user_torch_trace":"/logs"}',
        "TORCH_TRACE": "/inner/trace",
        "PYTHONPATH": f"{boot.BOOT_FOLDER}{os.pathsep}lib",
    }


def test_settings_come_back_from_the_environment() -> None:
    settings = Settings(enable=True, backend='my "own" one', dynamic=False, cwd="/with space\n")

    text = record({}, settings)["CA_RUN_SETTINGS"]

    assert not any(letter.isspace() for letter in text)
    assert Settings.from_environment({"CA_RUN_SETTINGS": text}) == settings
    assert Settings.from_environment({"CA_RUN_SETTINGS": '{"of a later version": 1}'}) == Settings()
    assert Settings.from_environment({}) == Settings()


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


def test_report_goes_into_one_run_only(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}")

    page = formats.find("html", "page")
    trace = formats.find("perfetto", "page")

    assert default_output([str(tmp_path)], page) == tmp_path / "report.html"
    assert default_output([str(tmp_path)], trace) == tmp_path / "perfetto.json"
    assert default_output([str(tmp_path), str(tmp_path)], page) == Path("report.html")
    assert default_output(["https://example.org/run"], page) == Path("report.html")


# --- exceptions and exit codes ------------------------------------------------------------


def raising(error: BaseException) -> Callable[[list[str]], NoReturn]:
    def run(arguments: list[str]) -> NoReturn:
        raise error

    return run


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (UsageError("no\n such  thing"), 2, "ca: no such thing\n"),
        (PermissionError(13, "Permission denied", "x.html"), 2, "ca: x.html: Permission denied\n"),
        (BrokenPipeError(), 0, ""),
        (KeyboardInterrupt(), 130, ""),
        (
            ZeroDivisionError("division\nby zero"),
            2,
            "ca: this is a bug in ca: ZeroDivisionError: division by zero "
            "(CA_DEBUG=1 shows the traceback to report)\n",
        ),
    ],
)
def test_how_an_exception_ends_a_command(
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    error: BaseException,
    code: int,
    line: str,
) -> None:
    monkeypatch.setattr(main_module, "_run", raising(error))
    monkeypatch.delenv("CA_DEBUG", raising=False)

    assert main_module.main(["x"]) == code
    assert capfd.readouterr() == ("", line)


def test_debugging_shows_the_traceback_too(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(main_module, "_run", raising(ZeroDivisionError("zero")))
    monkeypatch.setenv("CA_DEBUG", "1")

    assert main_module.main(["x"]) == 2
    printed = capfd.readouterr().err
    assert printed.startswith("Traceback (most recent call last):\n")
    assert printed.splitlines()[-1].startswith("ca: this is a bug in ca")


def test_errors_of_the_readers_are_foreseen() -> None:
    from ca_reports.errors import NothingReadable

    assert explain(NothingReadable("nothing\n  here")) == "nothing here"
    assert "ca_reports.errors" in sys.modules


def test_a_misspelled_script_names_the_closest_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").touch()
    assert main_module.main(["run", "trian.py"]) == 2
    assert capsys.readouterr().err == "ca: no such script: trian.py: did you mean train.py?\n"
    assert main_module.main(["run", "other.py"]) == 2
    assert capsys.readouterr().err == "ca: no such script: other.py\n"


def test_the_newest_run_is_not_compared_with_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    run = run_folder_of(tmp_path / "ca-runs" / "train-1", recapturing([3]))
    assert main_module.main(["diff", str(run)]) == 2
    assert "is the newest run: name another one" in capsys.readouterr().err
    assert main_module.main(["diff", str(run), str(run)]) == 0
