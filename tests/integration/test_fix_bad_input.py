"""`ca fix` on what it cannot fix, run or write: one clear line each, and nothing is lost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.integration.conftest import Runner

SCRIPT = """\
import sys
import torch

torch.manual_seed(0)


@torch.compile(backend="eager")
def forward(x):
    return x * 2


print(*sys.argv[1:])
for size in (8, 8, 6):
    print(forward(torch.ones(size, 2)).sum().item())
{last}
"""
RUN = ("run", "--quiet", "--no-report", "-o", "before")


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


@pytest.fixture
def script(work: Path) -> Path:
    path = work / "train.py"
    path.write_text(SCRIPT.format(last=""))
    return path


def test_a_program_that_is_not_a_file(ca: Runner, script: Path) -> None:
    text = script.read_text()
    assert ca(*RUN, "-c", text).code == 0
    found = ca("fix", "before", "--verify", "--yes")
    assert (found.code, len(lines(found.stderr))) == (2, 1)
    assert "-c is in no file" in found.stderr


def test_a_notebook_is_named_before_it_runs(ca: Runner, work: Path) -> None:
    (work / "train.ipynb").write_text("{}")
    found = ca("run", "train.ipynb")
    assert (found.code, len(lines(found.stderr))) == (2, 1)
    assert "train.ipynb is a notebook" in found.stderr


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere",), "there is no such file or folder"),
        (("empty",), "no file in this folder"),
        (("empty", "--steps", "3"), "--steps needs --verify"),
        (("empty", "--code", "CA999"), "unknown rule CA999"),
        (("empty", "--apply", "--format", "json"), "--apply writes the files themselves"),
        (("empty", "--apply", "-o", "new.patch"), "leave -o out"),
        ((), "no run in ca-runs"),
    ],
)
def test_nothing_was_recorded(
    ca: Runner, work: Path, arguments: tuple[str, ...], words: str
) -> None:
    (work / "empty").mkdir()
    found = ca("fix", *arguments)
    assert (found.code, found.stdout, len(lines(found.stderr))) == (2, "", 1)
    assert words in found.stderr


def test_a_run_without_a_finding(ca: Runner, script: Path) -> None:
    script.write_text(SCRIPT.format(last="").replace("(8, 8, 6)", "(8, 8, 8)"))
    assert ca(*RUN, "train.py").code == 0
    found = ca("fix", "before", "--verify", "--yes")
    assert (found.code, found.stdout) == (0, "")
    assert found.stderr == "nothing to fix\n"


def test_a_run_that_ended_with_an_error(ca: Runner, script: Path) -> None:
    script.write_text(SCRIPT.format(last="raise ValueError('no data')").replace("8, 8, 6", "8, 8"))
    assert ca(*RUN, "train.py").code == 1
    found = ca("fix", "before")
    assert (found.code, found.stdout) == (0, "")
    assert found.stderr == (
        "nothing to fix in what was recorded: the script ended with ValueError: no data\n"
    )


def test_it_asks_before_it_runs_and_keeps_what_changed(ca: Runner, script: Path) -> None:
    marker = script.with_name("ran")
    script.write_text(SCRIPT.format(last=f"open({str(marker)!r}, 'a').write('x')"))
    assert ca(*RUN, "train.py", "--lr", "0.1").code == 0
    assert marker.read_text() == "x"

    asked = ca("fix", "before", "--verify")
    assert asked.code == 2
    assert "runs `python train.py --lr 0.1` in" in asked.stderr
    assert "cannot ask without a terminal: --yes runs it" in asked.stderr
    assert marker.read_text() == "x"

    # A change since the run: nothing is patched, and nothing is written.
    text = script.read_text() + "# more\n"
    script.write_text(text)
    changed = ca("fix", "before", "--apply")
    assert changed.code == 1
    assert "train.py changed since the run: run it again" in changed.stderr
    assert script.read_text() == text
    assert sorted(one.name for one in script.parent.glob("train.py*")) == ["train.py"]


def test_a_run_that_was_killed_midway(ca: Runner, script: Path) -> None:
    last = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
    script.write_text(SCRIPT.format(last=last))
    assert ca(*RUN, "train.py").code != 0
    found = ca("fix", "before")
    assert found.code == 0, found.stderr
    assert '+@torch.compile(backend="eager", dynamic=True)' in found.stdout


@pytest.mark.long
def test_a_program_without_a_backward_is_proven_by_what_it_prints(ca: Runner, script: Path) -> None:
    assert ca(*RUN, "train.py", "--lr", "0.1").code == 0
    found = ca("fix", "before", "--verify", "--yes")
    assert found.code == 0, found.stderr
    assert (
        "no backward ran, so what it prints or what compiled calls give is compared" in found.stderr
    )
    assert "# no backward ran; 4 printed lines equal" in found.stdout
    assert "recompiles 1 → 0" in found.stdout
