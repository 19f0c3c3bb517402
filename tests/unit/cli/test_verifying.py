"""The run's own command, run again with other texts."""

from __future__ import annotations

from array import array
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from ca_cli import launcher, verifying
from ca_cli.errors import UsageError
from ca_reports.run.model import Compile, End, Process
from tests.unit.cli.programs import run_of

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding


def test_the_command_of_a_run_is_read_as_ca_run_reads_it(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("")
    run = run_of(
        tmp_path, "ca", "run", "--enable", "--backend", "eager", "-u", "train.py", "--enable", "no"
    )
    command = verifying.command_of(run)
    assert command.line()[1:] == ["-u", "train.py", "--enable", "no"]
    assert (command.recording.enable, command.recording.backend) == (True, "eager")
    replaced = command.line(Path("texts.json"))
    assert replaced[1] == "-u"
    assert replaced[3:] == ["texts.json", "train.py", "--enable", "no"]


@pytest.mark.parametrize(
    "given",
    ["torchrun --nproc-per-node=2 train.py --lr 1", "accelerate launch --cpu train.py --lr 1"],
)
def test_a_launcher_starts_the_other_texts_with_its_own_arguments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    (tmp_path / "train.py").write_text("")
    name, *arguments = given.split()
    own = tmp_path / "bin" / name
    own.parent.mkdir()
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    monkeypatch.setattr(launcher, "sys", SimpleNamespace(executable=str(own.with_name("python"))))
    command = verifying.command_of(run_of(tmp_path, "ca", "run", name, *arguments))
    assert command.shown == given
    assert command.line() == [str(own), *arguments]
    at = arguments.index("train.py")
    texts = command.line(Path("texts.json"))[1:]
    assert texts == [*arguments[:at], str(verifying.OVERLAY), "texts.json", *arguments[at:]]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("pytest", "--ca"), "needs one run of `ca run`"),
        (("ca", "run", "train.py", "--token", "[redacted]"), "secrets were left out"),
        (("ca", "run", "-c", "pass"), "needs a script or -m MODULE"),
        (("ca", "run", "-"), "needs a script or -m MODULE"),
        (("ca", "run", "gone.py"), "gone.py is not a script"),
        (("ca", "run", "torchrun", "gone.py"), "no script in the arguments of torchrun"),
        (("ca", "run", "torchrun", "-m", "train"), "no script in the arguments of torchrun"),
    ],
)
def test_what_cannot_be_run_again_is_said(
    tmp_path: Path, command: tuple[str, ...], words: str
) -> None:
    (tmp_path / "train.py").write_text("")
    with pytest.raises(UsageError, match=words.replace("[", r"\[")):
        verifying.command_of(run_of(tmp_path, *command))


def test_a_recompile_of_a_forward_comes_after_the_backwards_that_began_before_it(
    tmp_path: Path,
) -> None:
    starts = array("d", range(100, 130))
    process = Process(0, "log", None, None, 0, step_starts=starts)
    found = replace(run_of(tmp_path, "ca", "run", "train.py"), processes=(process,))
    early, late = (
        cast("Finding", SimpleNamespace(events=(Compile("0/1", 0, None, None, None, time=time),)))
        for time in (101.5, 119.5)
    )
    assert verifying.steps_for([early], found) == 10
    assert verifying.steps_for([early, late], found) == 26


@pytest.mark.parametrize(
    ("seconds", "error", "steps"),
    [(12.0, None, None), (12.0, "ValueError", 10), (900.0, None, 10), (None, None, 10)],
)
def test_a_short_program_that_came_to_its_end_is_run_whole(
    tmp_path: Path, seconds: float | None, error: str | None, steps: int | None
) -> None:
    found = run_of(tmp_path, "ca", "run", "train.py")
    end = None if seconds is None else 100.0 + seconds
    recorded = replace(found.recorded[0], start=100.0, end=end)
    process = Process(0, "log", None, None, 0, end=replace(End(), error=error))
    found = replace(found, recorded=(recorded,), processes=(process,))
    assert verifying.recorded_seconds(found) == seconds
    assert verifying.steps_for([], found) == steps
