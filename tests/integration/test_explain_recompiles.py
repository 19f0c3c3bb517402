"""`ca explain-recompiles` from outside."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ca_cli.writing import signed
from tests.integration.conftest import Outcome

if TYPE_CHECKING:
    from tests.integration.conftest import Runner


def test_explain_finds_the_newest_run(ca: Runner, run: Path) -> None:
    named = ca("explain-recompiles", run.relative_to(run.parent.parent))
    found = ca("explain-recompiles")

    assert found == named
    assert found.code == 0
    assert "2 captures" in found.stdout
    assert "train.py:8" in found.stdout  # where backward is called
    assert found.stderr == ""


def test_explain_on_a_pipe_is_plain_and_readable(ca: Runner, run: Path) -> None:
    assert run.is_dir()

    default = ca("explain-recompiles").stdout.splitlines()
    narrow = ca("explain-recompiles", env={"COLUMNS": "72"}).stdout.splitlines()

    assert not any("\x1b" in line for line in default + narrow)
    # Sentences stay on one line, for grep, unless the reader says how wide the screen is.
    (sentence,) = (index for index, line in enumerate(default) if "fix: keep the" in line)
    assert len(default[sentence]) > 120
    assert default[sentence + 1].lstrip().startswith("effect: it gives gradients of zeros")
    assert default[sentence + 2] == ""
    table = default[default.index("Captures of a backward (cache misses)") + 1 :]
    assert 80 < max(map(len, table[: table.index("")])) <= 120
    assert max(map(len, narrow)) <= 72


def test_json_is_all_there_is_on_stdout(ca: Runner, run: Path) -> None:
    outcome = ca("explain-recompiles", "--format", "json", run)

    assert outcome.code == 0
    assert outcome.stderr == ""
    answer = json.loads(outcome.stdout)
    assert answer["schema_version"] == 3
    assert [capture["kind"] for capture in answer["captures"]] == ["first", "new_autograd_node"]


@pytest.mark.parametrize(("format", "first_line"), [("json", ""), ("terminal", signed(""))])
def test_explain_into_a_file(
    ca: Runner, run: Path, work: Path, format: str, first_line: str
) -> None:
    printed = ca("explain-recompiles", "--format", format, run).stdout

    outcome = ca("explain-recompiles", "--format", format, run, "-o", "out.txt")

    assert outcome == Outcome(0, "", "wrote out.txt\n")
    assert (work / "out.txt").read_text() == first_line + printed
    umask = os.umask(0)
    os.umask(umask)
    assert (work / "out.txt").stat().st_mode & 0o777 == 0o666 & ~umask
