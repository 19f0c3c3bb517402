"""The command `ca` from outside: what it prints where, its exit codes, and its files."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import textwrap
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.commands import FLOOR, STARTUP, cpu_ratio
from ca_cli import main
from ca_cli.main import COMMANDS
from ca_cli.writing import signed
from tests.integration.conftest import CA, PYTHON, Outcome, clean_environment, execute
from tests.once import made_once, of_session

if TYPE_CHECKING:
    from tests.integration.conftest import Runner

TRAIN = """
import torch
from torch._dynamo import compiled_autograd

model = torch.nn.Linear(4, 1)
with compiled_autograd._enable(torch.compile(backend="eager")):
    for rows in (2, 2, 3):
        model(torch.randn(rows, 4)).sum().backward()
print("trained")
"""


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record one small training run; return the folder that `ca run` was typed in."""

    def record(folder: Path) -> None:
        (folder / "train.py").write_text(TRAIN)
        (folder / "logs").mkdir()
        outcome = execute([CA, "run", "train.py"], cwd=folder, env={"TORCH_TRACE": "logs"})
        (folder / "stderr.txt").write_text(outcome.stderr)
        assert outcome.stdout == "trained\n"
        assert outcome.code == 0

    return made_once(of_session(tmp_path_factory, "recorded"), record)


@pytest.fixture
def run(recorded: Path, work: Path) -> Path:
    """Return a copy of the recorded run, in the ``ca-runs`` of `work`."""
    (original,) = (recorded / "ca-runs").iterdir()
    copy = work / "ca-runs" / original.name
    (copy / "trace").mkdir(parents=True)
    for file in [original / "run.json", *(original / "trace").iterdir()]:
        (copy / file.relative_to(original)).write_bytes(file.read_bytes())
    return copy


# --- help, version, mistakes --------------------------------------------------------------


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


def test_the_commands_import_the_reports_when_they_have_something_to_read(work: Path) -> None:
    code = """
import sys, typer
from ca_cli.main import COMMANDS, app
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
        *("ca_reports.text", "ca_reports.text.numbers"),
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


# --- the run folder -----------------------------------------------------------------------


def test_runs_get_folders_of_their_own(ca: Runner, work: Path) -> None:
    (work / "train.py").write_text("")

    for _ in range(3):
        assert ca("run", "--quiet", "train.py").code == 0

    folders = list((work / "ca-runs").iterdir())
    assert len(folders) == 3
    for folder in folders:
        assert re.fullmatch(r"train-\d{8}-\d{6}(-[23])?", folder.name)
        written = json.loads((folder / "run.json").read_text())
        assert written["command"] == ["ca", "run", "--quiet", "train.py"]
        assert written["script"] == "train.py"
        assert written["cwd"] == str(work)
        assert written["start"] <= written["end"] <= time.time()


def test_the_first_run_file_stands_before_the_script_runs(ca: Runner, work: Path) -> None:
    code = "import os; print(open(os.environ['CA_RUN'] + '/run.json').read())"

    written = json.loads(ca("run", "--quiet", "--engine", "torch", "-c", code).stdout)

    assert written["engine"] == "torch"
    assert written["script"] == "-c"
    assert written["end"] is None


def test_an_empty_folder_is_taken(ca: Runner, work: Path) -> None:
    (work / "here").mkdir()

    assert ca("run", "--quiet", "-o", "here", "-c", "pass").code == 0
    assert (work / "here" / "run.json").exists()


def test_a_file_called_ca_runs_is_left_alone(ca: Runner, work: Path) -> None:
    (work / "ca-runs").write_text("mine")

    outcome = ca("run", "-c", "pass")

    assert outcome.code == 2
    assert outcome.stderr.startswith("ca: cannot make the run folder")
    assert (work / "ca-runs").read_text() == "mine"


def test_a_run_without_torch_says_so(cold_ca: Runner) -> None:
    outcome = cold_ca("run", "-c", "print('hello')")

    assert outcome == Outcome(
        0,
        "hello\n",
        "ca: nothing was recorded: no process of this run imported torch._dynamo\n",
    )


def test_output_of_the_script_comes_before_the_summary(work: Path) -> None:
    code = "import sys; sys.stdout.write('no newline, not flushed;')"

    done = subprocess.run(
        [CA, "run", "-c", code],
        cwd=work,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )

    assert done.stdout.startswith("no newline, not flushed;ca: nothing was recorded")


def test_a_run_within_a_run_records_for_itself(ca: Runner, work: Path) -> None:
    inner = "import os; print(os.environ['CA_RUN'], os.environ['PYTHONPATH'].count('_boot'))"
    outer = (
        "import subprocess, sys; "
        f"subprocess.run([{str(CA)!r}, 'run', '--quiet', '-o', 'inner', '-c', {inner!r}])"
    )

    outcome = ca("run", "--quiet", "-o", "outer", "-c", outer, env={"PYTHONPATH": "lib"})

    assert outcome == Outcome(0, f"{work / 'inner'} 1\n", "")
    for name in ("inner", "outer"):
        assert json.loads((work / name / "run.json").read_text())["end"] is not None


# --- a recorded run -----------------------------------------------------------------------


def test_end_of_a_run(recorded: Path) -> None:
    (folder,) = (recorded / "ca-runs").iterdir()
    (trace,) = (folder / "trace").iterdir()
    lines = (recorded / "stderr.txt").read_text().splitlines()

    assert lines[-2:] == [
        f"Details: ca explain-recompiles ca-runs/{folder.name}",
        f"Report:  ca-runs/{folder.name}/report.html",
    ]
    assert "3 backwards" in "\n".join(lines)
    assert (folder / "report.html").stat().st_size > 1000
    written = json.loads((folder / "run.json").read_text())
    (process,) = written["processes"]
    assert process["trace"] == f"trace/{trace.name}"
    assert process["rank"] is None
    assert process["pid"] > 1
    assert set(written["versions"]) >= {"ca", "python", "torch"}
    assert list(folder.glob(".*")) == []


def test_the_users_own_torch_trace_is_filled(recorded: Path) -> None:
    (folder,) = (recorded / "ca-runs").iterdir()
    (trace,) = (folder / "trace").iterdir()
    (linked,) = (recorded / "logs").iterdir()

    assert linked.name == trace.name
    assert linked.samefile(trace)


def test_enable_captures_backwards_of_a_plain_script(ca: Runner, work: Path) -> None:
    (work / "plain.py").write_text(
        textwrap.dedent(
            """
            import torch
            model = torch.nn.Linear(4, 1)
            for _ in range(3):  # the first finds .grad undefined, so the second is another
                model(torch.randn(2, 4)).sum().backward()
            """
        )
    )

    outcome = ca(
        "run", "--enable", "--backend", "eager", "--quiet", "--no-report", "-o", "run", "plain.py"
    )

    assert outcome == Outcome(0, "", "")
    assert not (work / "run" / "report.html").exists()
    summary = json.loads(ca("explain-recompiles", "run", "--format", "json").stdout)["summary"]
    assert summary["backwards"] == 3
    assert summary["captures"] == 2
    assert summary["hits"] == 1


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
    assert default[sentence + 1] == ""
    table = default[default.index("Captures of a backward (cache misses)") + 1 :]
    assert 80 < max(map(len, table[: table.index("")])) <= 120
    assert max(map(len, narrow)) <= 72


def test_colours_on_a_pipe_are_as_in_rich(ca: Runner, run: Path) -> None:
    assert run.is_dir()

    def is_coloured(**env: str) -> bool:
        return "\x1b[" in ca("explain-recompiles", env=env).stdout

    assert is_coloured(FORCE_COLOR="1")
    assert not is_coloured(NO_COLOR="1")
    plain = ca("explain-recompiles", env={"FORCE_COLOR": "1", "NO_COLOR": "1"}).stdout
    assert "\x1b[3" not in plain  # bold may stay, as in Rich


def test_explain_in_a_terminal_that_knows_only_ascii(cold_ca: Runner, run: Path) -> None:
    assert run.is_dir()

    outcome = cold_ca("explain-recompiles", env={"PYTHONIOENCODING": "ascii"})

    assert outcome.code == 0
    assert outcome.stdout.isascii()


def test_json_is_all_there_is_on_stdout(ca: Runner, run: Path) -> None:
    outcome = ca("explain-recompiles", "--format", "json", run)

    assert outcome.code == 0
    assert outcome.stderr == ""
    answer = json.loads(outcome.stdout)
    assert answer["schema_version"] == 2
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


def test_a_reader_that_has_enough_ends_it_quietly(work: Path, run: Path) -> None:
    # Many times the same process: more than a pipe holds.
    (log,) = (run / "trace").iterdir()
    for number in range(60):
        (run / "trace" / f"copy{number}.log").write_bytes(log.read_bytes())
    process = subprocess.Popen(
        [CA, "explain-recompiles", "--format", "json", run],
        cwd=work,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None

    assert process.stdout.readline() == "{\n"
    process.stdout.close()

    assert process.stderr.read() == ""
    assert process.wait(timeout=60) == 0
    process.stderr.close()


def test_report_goes_into_the_run_and_may_be_written_again(
    ca: Runner, run: Path, work: Path
) -> None:
    shown = f"ca-runs/{run.name}/report.html"

    assert ca("report") == Outcome(0, f"{shown}\n", "")
    assert ca("report") == Outcome(0, f"{shown}\n", "")
    assert (work / shown).read_text().startswith("<!doctype html>")


def test_report_of_bare_logs_goes_here(ca: Runner, run: Path, work: Path) -> None:
    assert ca("report", run / "trace") == Outcome(0, "report.html\n", "")
    assert (work / "report.html").exists()


def test_report_overwrites_no_file_of_the_users(ca: Runner, run: Path, work: Path) -> None:
    mine = work / "page.html"
    mine.write_text('<meta name="generator" content="carrot 1.0">my page')

    refused = ca("report", run, "-o", "page.html")

    assert refused.code == 2
    assert refused.stderr == "ca: page.html was not written by ca: --force overwrites it\n"
    assert mine.read_text().endswith("my page")
    assert ca("report", run, "-o", "page.html", "--force").code == 0
    assert not mine.read_text().endswith("my page")


def test_ctrl_c_while_the_report_is_written_is_quiet(work: Path) -> None:
    # The end of the run blocks where it reads run.json: nobody writes into that pipe.
    (work / "script.py").write_text(
        textwrap.dedent(
            """
            import os
            path = os.path.join(os.environ["CA_RUN"], "run.json")
            os.unlink(path)
            os.mkfifo(path)
            print("ready", flush=True)
            """
        )
    )
    process = subprocess.Popen(
        [CA, "run", "-o", "run", "script.py"],
        cwd=work,
        env=clean_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not children.exists():
        process.kill()
        pytest.skip("this kernel does not list children")
    while not children.read_text().strip():
        time.sleep(0.01)
    time.sleep(0.5)  # it is up and reads

    os.killpg(process.pid, signal.SIGINT)

    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout, stderr) == (0, "", "")
