"""Sessions of pytest within a session."""

from __future__ import annotations

import os
import sys
import time

import pytest

from tests import warm

# What stands ready has imported anyio, whose asserts pytest then warns that it cannot rewrite.
_QUIET = ("-W", "ignore::pytest.PytestAssertRewriteWarning")


def run(session: pytest.Pytester, *args: str) -> pytest.RunResult:
    """A pytest of its own that finds torch imported already; see `tests.warm`."""
    begin = time.monotonic()
    command = [sys.executable, "-m", "pytest", f"--basetemp={session.path / 'tmp'}"]
    done = warm.python().run(
        [*command, "-p", "no:cacheprovider", *_QUIET, *args],
        cwd=session.path,
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith("TORCH")},
            "PYTHONPATH": str(session.path),
        },
        timeout=120,
    )
    lines = done.stdout.splitlines(), done.stderr.splitlines()
    return pytest.RunResult(done.returncode, *lines, time.monotonic() - begin)


def run_from_scratch(session: pytest.Pytester, *args: str) -> pytest.RunResult:
    """The same where nothing is imported yet."""
    return session.runpytest_subprocess("-p", "no:cacheprovider", *args, timeout=120)
