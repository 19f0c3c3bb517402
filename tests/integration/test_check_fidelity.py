"""Under ``ca run --check`` a script runs as under plain python, although we stay its parent.

The cases of `test_run_fidelity` again, here those that a parent can spoil; `test_checked_starts`
has the others. What differs is the exit code of a script that ends well: these scripts record
nothing, and a gate over nothing is not green.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from ca_cli.errors import USAGE
from tests.integration.conftest import CA, PYTHON, Outcome, Runner, execute
from tests.integration.test_run_fidelity import (  # noqa: F401 -- pytest collects them here too
    first_line_only,
    script,
    signalled,
    test_argv_is_untouched,
    test_atexit_order,
    test_child_interpreters,
    test_current_folder_removed_by_the_script,
    test_end_of_standard_input,
    test_exit_with_text,
    test_module,
    test_script_from_standard_input,
    test_signal_settings_are_inherited,
    test_standard_input,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and shells of POSIX")

OURS = "ca: nothing to check: nothing was recorded\n"


def checked(folder: Path) -> list[str | Path]:
    return [CA, "run", "--check", "--quiet", "-o", folder]


@pytest.fixture
def same(run_python: Runner, work: Path, run_folder: Path) -> Runner:
    """As the fixture of that name, under ``--check``."""

    def run(
        *args: str | Path,
        stdin: str = "",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Outcome:
        plain = run_python(*args, stdin=stdin, env=env, cwd=cwd)
        command = [*checked(run_folder), *args]
        recorded = execute(command, cwd=cwd or work, stdin=stdin, env=env)
        if plain.code == 0:
            assert recorded == Outcome(USAGE, plain.stdout, plain.stderr + OURS)
        else:
            assert recorded == plain
        return plain

    return run


@pytest.mark.parametrize("code", [1, 300, pytest.param(-1, marks=pytest.mark.long)])
def test_exit_code(work: Path, same: Runner, code: int) -> None:
    outcome = same(script(work, f"import sys; sys.exit({code})"))

    assert outcome.code == code % 256


def test_uncaught_exception(work: Path, same: Runner) -> None:
    outcome = same(script(work, "def f():\n    raise ValueError('no')\nf()\n"))

    assert outcome.code == 1
    assert outcome.stderr.endswith("ValueError: no\n")


def test_os_exit(work: Path, same: Runner) -> None:
    assert same(script(work, "import os; os._exit(5)")).code == 5


# A terminal sends SIGINT to the whole group, of which we are the only one here.
@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        *(pytest.param(each, marks=pytest.mark.long) for each in (signal.SIGHUP, signal.SIGUSR1)),
    ],
)
def test_death_by_signal(work: Path, run_folder: Path, number: signal.Signals) -> None:
    script(work, "import time\nprint('ready', flush=True)\ntime.sleep(60)\n")

    plain = signalled([PYTHON, "script.py"], work, number)
    recorded = signalled([*checked(run_folder), "script.py"], work, number)

    assert recorded == plain
    assert recorded.code == -number


def test_signal_handler_of_the_script(work: Path, run_folder: Path) -> None:
    script(
        work,
        """
        import signal, sys, time
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(9))
        print("ready", flush=True)
        time.sleep(60)
        """,
    )

    plain = signalled([PYTHON, "script.py"], work, signal.SIGTERM)
    recorded = signalled([*checked(run_folder), "script.py"], work, signal.SIGTERM)

    assert recorded == plain == Outcome(9, "", "")


@pytest.mark.parametrize("command", ["python", "ca"])
def test_nohup(work: Path, run_folder: Path, command: str) -> None:
    script(
        work,
        """
        import os, signal, sys
        ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        os.kill(os.getpid(), signal.SIGHUP)
        sys.exit(11 if ignored else 12)
        """,
    )
    start = [PYTHON] if command == "python" else checked(run_folder)

    outcome = execute(["nohup", *start, "script.py"], cwd=work)

    assert outcome.code == 11


@pytest.mark.parametrize(("rest", "code"), [("x" * 100_000, 1), ("x", 120)])
def test_broken_pipe(work: Path, run_folder: Path, rest: str, code: int) -> None:
    script(
        work,
        f"""
        import sys
        print("first", flush=True)
        sys.stdin.read()
        print("x" * {len(rest)})
        """,
    )

    plain = first_line_only([PYTHON, "script.py"], work)
    recorded = first_line_only([*checked(run_folder), "script.py"], work)

    assert plain.code == code
    assert recorded == plain
