"""``ca run``: prepare a recording, then become the interpreter that runs the script."""

from __future__ import annotations

import os
import platform
import sys
import time
from dataclasses import fields
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer
from typer.core import TyperCommand, TyperOption

from ca_cli import gating, launcher, run_folder
from ca_cli.errors import UsageError
from ca_cli.python_command import PythonCommand, parse_python, split_command
from ca_engine import boot
from ca_engine.schema import SCHEMA_VERSION, RunFile
from ca_engine.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ca_reports.analysis import Analysis
    from ca_reports.gates.config import Settings

DEFAULT_BACKEND = "inductor"

# As the run's root: no Python process ends the run, we do or nobody does.
NO_PROCESS = "0"

# With these, the interpreter reads no PYTHONPATH, or no sitecustomize from it.
_FLAGS_WITHOUT_BOOT = "IES"

USAGE = ("SCRIPT | FOLDER | COMMAND | -m MODULE | -c CODE | -", "[ARGS]...")

Engine = Literal["ca", "torch"]

# Options that `ca env` has as well.
WhoseEngine = Annotated[
    Engine, typer.Option("--engine", help="Whose compiled autograd runs; both are recorded.")
]
Backend = Annotated[
    str | None,
    typer.Option(
        "--backend",
        metavar="NAME",
        show_default=DEFAULT_BACKEND,
        help="With --enable: the backend that compiles the backward.",
    ),
]
Dynamic = Annotated[
    bool | None,
    typer.Option(
        "--dynamic/--no-dynamic",
        show_default="torch decides",
        help="With --enable: compile with dynamic shapes, or never.",
    ),
]

ForwardStacks = Annotated[
    bool,
    typer.Option(
        "--forward-stacks",
        help="After each miss, note which line of the forward made each autograd node: findings "
        "name that line. Costs some 10 microseconds an operation in 32 forwards after a miss.",
    ),
]


class RunCommand(TyperCommand):
    """Lets Typer parse our own options only; the rest is `split_command`'s."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        """Keep the gate's options out of the help: `ca check --help` has them."""
        super().__init__(*args, **settings)
        gates = {field.name for field in fields(gating.Flags)}
        for parameter in self.params:
            if parameter.name in gates and isinstance(parameter, TyperOption):
                parameter.hidden = True

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return what the usage line says after ``ca run``."""
        return ["[OPTIONS]", *USAGE]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse our options, and take everything else as it is."""
        own, interpreter = split_command(args)
        rest: list[str] = super().parse_args(ctx, [*own, "--", *interpreter])
        return rest


def run(
    command: Annotated[
        list[str] | None,
        typer.Argument(hidden=True),  # `USAGE` says more than a list of arguments can
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            show_default="ca-runs/SCRIPT-TIME",
            help="The folder of the run; new or empty.",
        ),
    ] = None,
    engine: WhoseEngine = "ca",
    enable: Annotated[
        bool,
        typer.Option("--enable", help="Turn compiled autograd on for the whole script."),
    ] = False,
    backend: Backend = None,
    dynamic: Dynamic = None,
    forward_stacks: ForwardStacks = False,
    report: Annotated[
        bool,
        typer.Option("--report/--no-report", help="Write report.html at the end."),
    ] = True,
    quiet: Annotated[
        bool,
        typer.Option("--quiet", help="Print nothing at the end."),
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Then do as `ca check`, whose options may follow; exit code 1 if it fails.",
        ),
    ] = False,
    max_captures: gating.MaxCaptures = None,
    max_recaptures: gating.MaxRecaptures = None,
    max_dynamo_recompiles: gating.MaxDynamoRecompiles = None,
    max_graph_breaks: gating.MaxGraphBreaks = None,
    max_seconds_lost: gating.MaxSecondsLost = None,
    max_lost_share: gating.MaxLostShare = None,
    warmup_steps: gating.WarmupSteps = None,
    select: gating.Select = None,
    ignore: gating.Ignore = None,
    baseline: gating.Baseline = None,
    config: gating.Config = None,
) -> None:
    """Run a script, or any command that starts Python, and record its recompilations.

    The script runs in the plain interpreter: its output, traceback, exit code and signals
    are as under python. The interpreter's own flags may come before it, and everything
    after it goes to the script.

    A command on PATH works as well (torchrun, accelerate, a shell script): every Python
    that it starts is recorded.

    \b
    ca run train.py --epochs 3
    ca run torchrun --nproc-per-node 2 train.py
    ca run --enable -W error -m package.train
    """  # noqa: D301 -- the character, which keeps these lines apart
    python = parse_python(command or [])
    refuse_without_enable(enable, backend, dynamic)
    flags = gating.Flags(
        max_captures,
        max_recaptures,
        max_dynamo_recompiles,
        max_graph_breaks,
        max_seconds_lost,
        max_lost_share,
        warmup_steps,
        select,
        ignore,
        baseline,
        config,
    )
    allowed = _allowed(flags) if check else None
    if allowed is None and (given := flags.given()):
        raise UsageError(f"{given[0]} needs --check")
    launched = launcher.find(python)
    if launched is None:
        refuse_what_cannot_be_recorded(python)
    now = time.time()
    line = [launched or python.name, *python.arguments]
    name = run_name(python) if launched is None else launcher.run_name(line)
    folder = run_folder.create(output, name, datetime.fromtimestamp(now))
    script = python.name if launched is not None else python_target(python)
    run_folder.write_run_file(folder, new_run_file(script, engine, now))
    settings = {
        **recording_settings(
            folder,
            engine=engine,
            enable=enable,
            backend=backend,
            dynamic=dynamic,
            forward_stacks=forward_stacks,
        ),
        "CA_REPORT": "1" if report else "0",
        "CA_QUIET": "1" if quiet else "0",
    }
    environment = recording_environment(os.environ, folder, settings)
    gate = None
    if allowed is not None:
        gate = partial(_judge, allowed, folder, _current_folder(), quiet)
    if launched is None:
        _become(python, environment, folder, gate)
    environment["CA_RUN_ROOT_PID"] = NO_PROCESS
    launcher.become(line, environment, folder, report=report, quiet=quiet, gate=gate)


def recording_settings(
    folder: Path,
    *,
    engine: Engine,
    enable: bool,
    backend: str | None,
    dynamic: bool | None,
    forward_stacks: bool,
) -> dict[str, str]:
    """Return what `ca_engine.boot` reads of the environment to record into `folder`."""
    settings = {"CA_RUN": str(folder), "CA_ENGINE": engine}
    if enable:
        settings |= {"CA_ENABLE": "1", "CA_BACKEND": backend or DEFAULT_BACKEND}
        if dynamic is not None:
            settings["CA_DYNAMIC"] = "1" if dynamic else "0"
    if forward_stacks:
        settings["CA_FORWARD_STACKS"] = "1"
    return settings


def refuse_without_enable(enable: bool, backend: str | None, dynamic: bool | None) -> None:
    """Raise `UsageError` for an option that does nothing without ``--enable``."""
    if not enable and (backend is not None or dynamic is not None):
        option = "--backend" if backend is not None else "--dynamic/--no-dynamic"
        raise UsageError(f"{option} needs --enable: the script itself chooses otherwise")


def python_target(python: PythonCommand) -> str:
    """Return what `run.json` calls the script."""
    return "-c" if python.kind == "code" else " ".join(python.target)


def run_name(python: PythonCommand) -> str:
    """Return what the run folder is called after: the script without its ending."""
    if python.kind == "stdin":
        return "stdin"
    if python.kind == "code":
        return "command"
    if python.kind == "module":
        return python.name
    path = Path(python.name)
    # `.` and `..` have no name of their own.
    return path.stem if path.stem.strip(".") else path.resolve().name


def recording_environment(
    environment: Mapping[str, str], folder: Path, settings: Mapping[str, str]
) -> dict[str, str]:
    """Return the environment in which every Python process records into `folder`.

    What an outer `ca run` put into `environment` is replaced: this run is the inner one's.
    """
    users = boot.user_environment(environment)
    recording = {**users, **settings}
    if trace := users.get("TORCH_TRACE"):
        # Absolute: the program may change its current folder before the end.
        recording["CA_USER_TORCH_TRACE"] = os.path.abspath(trace)  # noqa: PTH100
    recording["TORCH_TRACE"] = str(folder / run_folder.TRACE)
    path = users.get("PYTHONPATH")
    recording["PYTHONPATH"] = boot.BOOT_FOLDER + (os.pathsep + path if path else "")
    return recording


def refuse_what_cannot_be_recorded(python: PythonCommand) -> None:
    """Raise `UsageError` for an interpreter that never starts recording, and for no script."""
    for letter in _FLAGS_WITHOUT_BOOT:
        if letter in python.short_flags():
            raise UsageError(
                f"ca run cannot record under python -{letter}: "
                "that interpreter ignores PYTHONPATH or skips site, and so never starts recording"
            )
    if python.kind != "file" or os.path.lexists(python.name):
        return
    what = "script" if os.sep in python.name or "." in python.name else "script or command"
    raise UsageError(f"no such {what}: {python.name}")


def new_run_file(script: str, engine: Engine, now: float) -> RunFile:
    """Return `run.json` as it is when the run begins, at `now` in seconds since the epoch."""
    return {
        "schema_version": SCHEMA_VERSION,
        "command": ["ca", *sys.argv[1:]],
        "script": script,
        "cwd": _current_folder(),
        "host": platform.node(),
        "executable": sys.executable,
        "versions": {"ca": __version__, "python": platform.python_version()},
        "engine": engine,
        "start": now,
        "end": None,
        "exit_code": None,
        "processes": [],
    }


def _current_folder() -> str:
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        raise UsageError("the current folder no longer exists") from None


def _allowed(flags: gating.Flags) -> Settings:
    """What the gate will allow: read now, because a mistake in it must not cost a training."""
    settings = flags.settings()
    if settings.baseline is not None:
        from ca_reports.gates import baseline

        baseline.read(settings.baseline)
    return settings


def _judge(
    settings: Settings, folder: Path, cwd: str, quiet: bool, analysis: Analysis | None
) -> int:
    """Judge what the script left; print the outcome on stderr, for stdout is the script's."""
    from ca_cli.commands import check, finish

    if analysis is None:
        raise UsageError("nothing to check: nothing was recorded")
    verdict = gating.judge(analysis, settings)
    if sys.stderr is not None and not (quiet and verdict.ok):
        check.show(verdict, sys.stderr)
        gating.say_settings(settings)
        page = folder / run_folder.REPORT
        finish.say_where(folder, cwd, has_report=page.is_file())
    check.summarize(verdict)
    return gating.exit_code(verdict)


def _become(
    python: PythonCommand,
    environment: dict[str, str],
    folder: Path,
    gate: launcher.Gate | None,
) -> NoReturn:
    """Replace this process by the interpreter: nothing stands between it and the user.

    With a gate it is our child. A process cannot change the exit code that it ends with
    once it is ending, and `os._exit` in its last handler would skip what C libraries do
    then; so somebody has to outlive it.
    """
    arguments = [sys.executable, *python.after_interpreter()]
    environment["CA_RUN_ROOT_CWD"] = _current_folder()
    report, quiet = environment["CA_REPORT"] == "1", environment["CA_QUIET"] == "1"
    if sys.platform == "win32":
        _run_as_child(arguments, environment, folder, gate)
    if gate is not None:
        environment["CA_RUN_ROOT_PID"] = NO_PROCESS
        launcher.become(arguments, environment, folder, report=report, quiet=quiet, gate=gate)
    environment["CA_RUN_ROOT_PID"] = str(os.getpid())  # an exec keeps the process id
    # Nothing was printed, so nothing has to be flushed.
    os.execve(sys.executable, arguments, environment)


def _run_as_child(
    arguments: list[str],
    environment: dict[str, str],
    folder: Path,
    gate: launcher.Gate | None,
) -> NoReturn:
    """On Windows, where exec starts another process and returns to the shell at once."""
    import signal
    import subprocess

    from ca_cli.commands.finish import finish

    environment["CA_RUN_ROOT_PID"] = NO_PROCESS
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the script's
    exit_code = subprocess.run(arguments, env=environment, check=False).returncode
    judged = gate is not None and exit_code == 0
    run = finish(
        folder,
        report=environment["CA_REPORT"] == "1",
        quiet=judged or environment["CA_QUIET"] == "1",
        link_traces=Path(users) if (users := environment.get("CA_USER_TORCH_TRACE")) else None,
        exit_code=exit_code,
    )
    raise SystemExit(gate(run) if gate is not None and judged else exit_code)
