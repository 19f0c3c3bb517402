"""What a recording hands to the processes of its run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ca_cli.python_command import PythonCommand, TargetKind
from ca_cli.recording import recording_environment, run_name, user_environment
from ca_engine import boot
from ca_engine.settings import Settings
from tests.unit.cli.recordings import record


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
