"""What was measured not to be a cause: one capture, then hits, and nothing is blamed.

A tool that blames one of these is wrong, so every case of ``non_causes.py`` is a test. One
recorded run serves all of them.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.integration import non_causes
from tests.integration.conftest import CA, clean_environment

SCRIPT = Path(non_causes.__file__)
# Two dozen processes in turn, each with a compile or two.
pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]


@dataclass(frozen=True)
class Recorded:
    """What was recorded, and which process ran which case."""

    document: dict[str, Any]
    processes: dict[str, dict[str, Any]]


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        [CA, *command],
        cwd=cwd,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    folder = tmp_path_factory.mktemp("non_causes")
    printed = run("run", "--quiet", "--no-report", "-o", folder / "run", SCRIPT, cwd=folder)
    document = json.loads(run("explain-recompiles", folder / "run", "--format", "json", cwd=folder))
    by_pid = {process["pid"]: process for process in document["processes"]}
    lines = (line.split() for line in printed.splitlines())
    cases = {words[0]: by_pid[int(words[1])] for words in lines if words[0] in non_causes.CASES}
    return Recorded(document, cases)


@pytest.mark.parametrize("name", non_causes.CASES)
def test_it_is_captured_once_and_nothing_is_found(name: str, recorded: Recorded) -> None:
    process = recorded.processes[name]
    index = process["index"]
    assert process["recorded"]
    assert process["backwards"] == non_causes.STEPS
    assert process["hits"] == non_causes.STEPS - 1
    captures = [c for c in recorded.document["captures"] if c["process"] == index]
    assert [capture["kind"] for capture in captures] == ["first"]
    recompiles = [r for r in recorded.document["dynamo_recompiles"] if r["process"] == index]
    assert not recompiles
    blamed = [f for f in recorded.document["findings"] if index in f["processes"]]
    assert not blamed
