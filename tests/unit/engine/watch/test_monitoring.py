"""WHEN lines are watched THEN the one that changed a value is told."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ca_engine.watch.monitoring import LineEvents
from ca_engine.watch.watchpoints import Watchpoints
from tests.docs.guide import ROOT

PROGRAM = Path(__file__).with_name("watched_program.py")


def interpreters() -> list[str]:
    """CPythons of this machine that have ``sys.monitoring``; the modules need nothing but them."""
    named = [shutil.which(f"python3.{minor}") for minor in (12, 13, 14)]
    kept = sorted(Path.home().glob(".pyenv/versions/3.1[2-9].*/bin/python"))
    found = [sys.executable, *(name for name in named if name), *map(str, kept)]
    asks = "import sys; sys.exit(sys.version_info < (3, 12))"
    return [
        path
        for path in dict.fromkeys(found)
        if subprocess.run([path, "-c", asks], capture_output=True, check=False).returncode == 0
    ]


FOUND = interpreters()


@pytest.mark.parametrize("interpreter", FOUND or [None])
def test_lines_that_change_a_value(interpreter: str | None) -> None:
    if interpreter is None:
        pytest.skip("no CPython from 3.12 on: sys.monitoring is of those")
    found = seen(interpreter)
    assert len(found) == 13
    assert not [name for name, right in found.items() if not right]


def test_lines_that_change_a_value_by_a_tracer() -> None:
    found = seen(sys.executable, "tracing")
    assert len(found) == 17
    assert not [name for name, right in found.items() if not right]


def seen(interpreter: str, *way: str) -> dict[str, bool]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'engine'}{os.pathsep}{ROOT}"}
    done = subprocess.run(
        [interpreter, PROGRAM, *way], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, bool] = json.loads(done.stdout)
    return found


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="sys.monitoring is there")
def test_an_older_python_watches_nothing() -> None:
    assert not LineEvents(Watchpoints(repr), lambda _: True, lambda _: False).start()
