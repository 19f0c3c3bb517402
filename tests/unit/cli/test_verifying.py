"""The run's own command, run again with other texts."""

from __future__ import annotations

import json
import subprocess
import sys
from array import array
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from ca_cli import launcher, verifying
from ca_cli.errors import UsageError
from ca_reports.model import Compile, Process
from tests.unit.cli.programs import run_of

if TYPE_CHECKING:
    from ca_reports.findings import Finding


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


SHOW = """\
import sys, inspect
import part
from pathlib import Path
def f(): return 'as it was'
print(__name__, Path(__file__).name, sys.argv[1:], Path(sys.path[0]).name)
print(part.VALUE, f(), inspect.getsource(f).strip(), sys.modules['__main__'].f is f)
raise ValueError('here')
"""


def in_place(folder: Path, target: list[str], **texts: str) -> subprocess.CompletedProcess[str]:
    """Run ``target`` in ``folder`` with other texts for its modules."""
    other = folder.with_name("other")
    other.mkdir()
    named = {}
    for name, text in texts.items():
        (other / name).write_text(text)
        named[str(folder / f"{name}.py")] = str(other / name)
    (other / "texts.json").write_text(json.dumps(named))
    line = [sys.executable, str(verifying.OVERLAY), str(other / "texts.json"), *target]
    return subprocess.run(line, cwd=folder.parent, capture_output=True, text=True, check=False)


def test_other_texts_run_in_the_place_of_the_files(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "train.py").write_text(SHOW)
    (folder / "part.py").write_text("VALUE = 1\n")
    patched = "# one line more\n" + SHOW.replace("as it was", "patched")

    done = in_place(folder, ["mine/train.py", "-m", "x"], train=patched, part="VALUE = 2\n")

    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "__main__ train.py ['-m', 'x'] mine",
        "2 patched def f(): return 'patched' True",
    ]
    assert 'train.py", line 8, in <module>' in done.stderr
    # Neither a text nor bytecode was written.
    assert sorted(path.name for path in folder.rglob("*")) == ["part.py", "train.py"]


def test_a_module_runs_as_the_program(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "train.py").write_text("print(1)")
    done = in_place(
        folder, ["-m", "mine.train", "x"], train="import sys; print(__name__, sys.argv[1:])"
    )
    assert done.stdout == "__main__ ['x']\n", done.stderr


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
