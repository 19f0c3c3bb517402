"""The command `ca` as a whole: its help, its mistakes, and what it imports."""

from __future__ import annotations

import re
import resource
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.commands import FLOOR, STARTUP, cpu_ratio
from ca_cli import main
from ca_cli.main import COMMANDS
from tests.integration.conftest import CA, PYTHON, execute

if TYPE_CHECKING:
    from tests.integration.conftest import Runner

# The commonest command imports 640, half of them ours.
MOST_MODULES = 680


def test_help_is_fast(ca: Runner) -> None:
    # CPU time: what a command waits for is other work's on this machine.
    times = []
    for _ in range(5):
        before = cpu_of_children()
        outcome = ca("--help")
        times.append(cpu_of_children() - before)
        assert outcome.code == 0

    assert min(times) < 0.3
    assert cpu_ratio([CA, "--help"], FLOOR) < STARTUP


def cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_importing_the_command_line_imports_nothing_heavy(work: Path) -> None:
    code = "import sys, ca_cli.main; print(*sys.modules)"

    modules = set(execute([PYTHON, "-c", code], cwd=work).stdout.split())

    assert not modules & {"torch", "pandas", "numpy", "rich", "orjson", "jinja2", "pygments"}
    # A command is imported when it is called, what reads logs with it.
    assert not {name for name in modules if name.startswith(("ca_reports", "ca_cli.commands"))}


@pytest.mark.parametrize("format", ["terminal", "json", "markdown"])
def test_explaining_imports_what_it_needs(work: Path, run: Path, format: str) -> None:
    code = """
import sys
from ca_cli.main import main
main(sys.argv[1:])
print(*sys.modules, file=sys.stderr)
"""
    line = ["explain-recompiles", str(run), "--format", format]

    modules = set(execute([PYTHON, "-c", code, *line], cwd=work).stderr.split())

    assert not modules & {"torch", "numpy", "pandas", "jinja2", "pygments", "pydantic", "asyncio"}
    packages = ("ca_reports.patching", "ca_reports.comparison", "ca_reports.costs.caches")
    assert not {name for name in modules if name.startswith(packages)}
    assert len(modules) < MOST_MODULES


def test_the_version_needs_no_command_line(work: Path) -> None:
    code = "import sys; from ca_cli.main import main; main(['--version']); print(*sys.modules)"

    modules = set(execute([PYTHON, "-c", code], cwd=work).stdout.split())

    assert not modules & {"typer", "inspect", "dataclasses", "pathlib", "ca_cli.app"}


def test_the_end_of_a_run_imports_no_command_line(work: Path) -> None:
    code = "import sys, ca_cli.finish; print(*sys.modules)"

    modules = set(execute([PYTHON, "-c", code], cwd=work).stdout.split())

    # The user waits for it.
    assert not modules & {"torch", "typer", "pandas", "numpy", "rich", "jinja2", "ca_reports"}


def test_the_commands_import_the_reports_when_they_have_something_to_read(work: Path) -> None:
    code = """
import sys, typer
from ca_cli.app import app
from ca_cli.main import COMMANDS
for name in COMMANDS:
    typer.main.get_command(app).get_command(None, name)
print(*sys.modules)
"""

    modules = set(execute([PYTHON, "-c", code], cwd=work).stdout.split())

    assert "ca_cli.commands.run" in modules
    assert not modules & {"torch", "pandas", "numpy", "rich", "orjson", "jinja2", "pygments"}
    # The table of budgets, and how its numbers are written
    assert {name for name in modules if name.startswith("ca_reports")} == {
        *("ca_reports", "ca_reports.gates", "ca_reports.gates.budgets"),
        *("ca_reports.words", "ca_reports.words.numbers"),
    }


def test_the_list_of_commands_is_whole(ca: Runner) -> None:
    printed = ca("--help").stdout
    listed = [line.split()[0] for line in printed.splitlines() if line.startswith("  ")]

    files = {file.stem for file in Path(main.__file__).with_name("commands").glob("[!_]*.py")}
    assert {name.replace("-", "_") for name in COMMANDS} == {name.rstrip("_") for name in files}
    assert listed[-len(COMMANDS) :] == [*COMMANDS]


@pytest.mark.parametrize("command", [[], ["run"], ["explain-recompiles"], ["report"]])
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help(ca: Runner, command: list[str], option: str) -> None:
    outcome = ca(*command, option)

    assert outcome.code == 0
    assert outcome.stdout.startswith(" ".join(["Usage: ca", *command]))
    assert outcome.stderr == ""
    assert "\x1b" not in outcome.stdout
    assert max(map(len, outcome.stdout.splitlines())) <= 80


def test_without_arguments_it_explains_itself(ca: Runner) -> None:
    outcome = ca()

    assert outcome.stdout == ca("--help").stdout
    assert outcome.code == 0


def test_version(ca: Runner) -> None:
    assert re.fullmatch(r"ca \d+\.\d+\.\d+\S*\n", ca("--version").stdout)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["run"], "nothing to run: give a SCRIPT"),
        (["run", "--engin", "ca", "x.py"], "--engine"),
        (["run", "--engine", "mine", "x.py"], "'mine' is not one of"),
        (["run", "--backend", "eager", "x.py"], "--backend needs --enable"),
        (["run", "--no-dynamic", "x.py"], "--dynamic/--no-dynamic needs --enable"),
        (["run", "-I", "x.py"], "cannot record under python -I"),
        (["run", "-uE", "x.py"], "cannot record under python -E"),
        (["run", "-S", "-m", "x"], "cannot record under python -S"),
        (["run", "-k", "x.py"], "no such option: -k"),
        (["run", "-o"], "-o needs a value"),
        (["run", "missing.py"], "no such script: missing.py"),
        (["run", "missing"], "no such script or command: missing"),
        (
            ["run", "notes.ipynb"],
            "is a notebook: use `ca run jupyter execute notes.ipynb`",
        ),
        (["try", "notes.ipynb"], "notes.ipynb is a notebook"),
        (["run", "-u", "true"], "-u: options of Python, but true is a command"),
        (["env", "--backend", "eager"], "--backend needs --enable"),
        (["env", "-o", "full"], "full is not empty"),
        (["explain-recompiles", "--jobs", "0", "full"], "--jobs"),
        (["run", "-o", "x.py", "x.py"], "x.py is a file"),
        (["run", "-o", "full", "x.py"], "full is not empty"),
        (["run", "-o", "x.py/run", "x.py"], "x.py"),
        (["explian"], "explian"),
        (["explain-recompiles"], "no run in ca-runs"),
        (["explain-recompiles", "missing"], "missing"),
        (["explain-recompiles", "--all", "--format", "json"], "--all is for --format terminal"),
        (["explain-recompiles", "--format", "xml"], "'xml' is not one of"),
        (["report"], "no run in ca-runs"),
        (["report", "full", "-o", "nowhere/report.html"], "nowhere is not a folder"),
        (["report", "full", "-o", "full"], "full is a folder"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    ca: Runner, work: Path, args: list[str], message: str
) -> None:
    (work / "x.py").write_text("print('must not run')")
    # Which happens to be Python as well.
    (work / "notes.ipynb").write_text('{"cells": [], "nbformat": 4, "nbformat_minor": 5}')
    (work / "full").mkdir()
    (work / "full" / "thesis.txt").write_text("mine")
    before = sorted(work.rglob("*"))

    outcome = ca(*args)

    assert outcome.code == 2
    assert outcome.stdout == ""
    assert outcome.stderr.startswith("ca: ")
    assert message in outcome.stderr
    assert outcome.stderr.count("\n") == 1
    assert sorted(work.rglob("*")) == before


def test_a_command_beside_the_interpreter_needs_no_path(ca: Runner) -> None:
    outcome = ca("run", "--quiet", "pytest", "--version", env={"PATH": "/nowhere"})

    assert outcome.code == 0
    assert outcome.stdout.startswith("pytest ")
