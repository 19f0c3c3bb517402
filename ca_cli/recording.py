"""Prepares a recording: options, environment, run.json."""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ca_cli import run_folder
from ca_cli.errors import UsageError
from ca_cli.options import OptionGroup
from ca_engine import boot
from ca_engine.redaction import redact_arguments
from ca_engine.schema import SCHEMA_VERSION, RunFile
from ca_engine.settings import VARIABLE, Engine, Settings
from ca_engine.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ca_cli.python_command import PythonCommand

DEFAULT_BACKEND = "inductor"

# As the run's root: no Python process ends the run, we do or nobody does.
NO_PROCESS = 0

# What a recording adds to the environment, besides PYTHONPATH and TORCH_TRACE.
_RUN, _ROOT = "CA_RUN", "CA_RUN_ROOT_PID"
VARIABLES = (_RUN, _ROOT, VARIABLE)

# With these, the interpreter reads no PYTHONPATH, or no sitecustomize from it.
_FLAGS_WITHOUT_BOOT = "IES"


EnableOption = Annotated[
    bool, typer.Option("--enable", help="Turn compiled autograd on for the whole script.")
]
BackendOption = Annotated[
    str | None,
    typer.Option(
        "--backend",
        metavar="NAME",
        show_default=DEFAULT_BACKEND,
        help="With --enable: the backend that compiles the backward.",
    ),
]


@dataclass(frozen=True)
class RecordingOptions(OptionGroup):
    """Options of every recording, by the names that they have in `Settings`."""

    engine: Annotated[
        Engine, typer.Option("--engine", help="Whose compiled autograd runs; both are recorded.")
    ] = "ca"
    enable: EnableOption = False
    backend: BackendOption = None
    dynamic: Annotated[
        bool | None,
        typer.Option(
            "--dynamic/--no-dynamic",
            show_default="torch decides",
            help="With --enable: compile with dynamic shapes, or never.",
        ),
    ] = None
    forward_stacks: Annotated[
        bool | None,
        typer.Option(
            "--forward-stacks/--no-forward-stacks",
            show_default="within 1% of the run and 0.3 s",
            help="After each miss, note which line of the forward made each autograd node, so that "
            "findings start from that line. Costs about 10 µs per operation; given as an option, "
            "it covers 32 forwards after each miss at any cost.",
        ),
    ] = None
    watch_lines: Annotated[
        bool | None,
        typer.Option(
            "--watch-lines/--no-watch-lines",
            show_default="from Python 3.12 on, within 1% of the run",
            help="See which line changes what a guard reads: given as an option, at any cost and "
            "on any Python, and what failed in the run before it from the first compile on.",
        ),
    ] = None
    lowering: Annotated[
        bool | None,
        typer.Option(
            "--lowering",
            show_default="CA_LOWERING",
            help="Let captured graphs reach their backend without Dynamo tracing them again, where "
            "that is exact. Measures what the engine can save, not what the script costs today.",
        ),
    ] = None
    background: Annotated[
        bool,
        typer.Option(
            "--background-compile",
            help="Inductor compiles in another process: until it is done a graph runs as backend "
            "aot_eager runs it, with its results. Captured graphs are lowered.",
        ),
    ] = False

    sizes: Annotated[
        bool,
        typer.Option(
            "--sizes/--no-sizes",
            help="Count the sizes of the inputs of compiled functions in all their calls, for `ca "
            "sizes`. Costs less than 1 µs a call.",
        ),
    ] = True

    def settings(self, config: Path | None = None, **more: Any) -> Settings:
        """Return the settings of a run, with what the project's file says about recordings.

        Raises `UsageError` for an option that does nothing, and `CaError` for a bad file.
        """
        if not self.enable and (self.backend is not None or self.dynamic is not None):
            option = "--backend" if self.backend is not None else "--dynamic/--no-dynamic"
            raise UsageError(f"{option} needs --enable: the script itself chooses otherwise")
        secrets, source = _of_project(config)
        chosen = vars(self) | {"source": source} | more | {"secrets": secrets}
        if self.enable:
            chosen["backend"] = self.backend or DEFAULT_BACKEND
        return Settings(**chosen)


def recording_environment(
    environment: Mapping[str, str], folder: Path, settings: Settings, root: int = NO_PROCESS
) -> dict[str, str]:
    """Return the environment in which every Python process records into `folder`.

    `root` is the process whose end is the end of the run. What an outer `ca run` put into
    `environment` is replaced: this run is the inner one's.
    """
    return user_environment(environment) | recording_variables(environment, folder, settings, root)


def recording_variables(
    environment: Mapping[str, str], folder: Path, settings: Settings, root: int = NO_PROCESS
) -> dict[str, str]:
    """Return what `recording_environment` adds to `environment` or replaces there."""
    users = user_environment(environment)
    path = users.get("PYTHONPATH")
    return {
        _RUN: str(folder),
        _ROOT: str(root),
        VARIABLE: replace(settings, user_torch_trace=_absolute(users.get("TORCH_TRACE"))).as_json(),
        "TORCH_TRACE": str(folder / run_folder.TRACE),
        "PYTHONPATH": boot.BOOT_FOLDER + (os.pathsep + path if path else ""),
    }


def user_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return `environment` without what a recording put into it."""
    clean = {name: value for name, value in environment.items() if name not in VARIABLES}
    if environment.get(_RUN):
        clean.pop("TORCH_TRACE", None)
        if users := Settings.from_environment(environment).user_torch_trace:
            clean["TORCH_TRACE"] = users
    entries = environment.get("PYTHONPATH", "").split(os.pathsep)
    if boot.BOOT_FOLDER in entries:
        rest = os.pathsep.join(entry for entry in entries if entry != boot.BOOT_FOLDER)
        clean["PYTHONPATH"] = rest
        if not rest:
            del clean["PYTHONPATH"]
    return clean


def new_run_file(
    script: str, settings: Settings, now: float, script_folder: str | None = None
) -> RunFile:
    """Return `run.json` as it is when the run begins, at `now` in seconds since the epoch."""
    return {
        "schema_version": SCHEMA_VERSION,
        "command": redact_arguments(["ca", *sys.argv[1:]], settings.secrets),
        "script": script,
        "script_folder": script_folder,
        "cwd": current_folder(),
        "host": platform.node(),
        "executable": sys.executable,
        "versions": {"ca": __version__, "python": platform.python_version()},
        "engine": settings.engine,
        "start": now,
        "end": None,
        "exit_code": None,
        "processes": [],
    }


def current_folder() -> str:
    """Return the current folder. Raises `UsageError` if it was removed."""
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        raise UsageError("the current folder no longer exists") from None


def python_target(python: PythonCommand) -> str:
    """Return what `run.json` calls the script."""
    return "-c" if python.kind == "code" else " ".join(python.target)


def folder_of_script(python: PythonCommand) -> str | None:
    """Return the folder of a script that lies outside of the current one; else None."""
    if python.kind != "file":
        return None
    folder = Path(python.name).resolve().parent
    return None if folder.is_relative_to(Path.cwd()) else str(folder)


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


def refuse_what_cannot_be_recorded(python: PythonCommand) -> None:
    """Raise `UsageError` for an interpreter that never starts recording, and for no script.

    A notebook is none: `jupyter execute` runs it, in a kernel that is recorded.
    """
    for letter in _FLAGS_WITHOUT_BOOT:
        if letter in python.short_flags():
            raise UsageError(
                f"ca run cannot record under python -{letter}: "
                "that interpreter ignores PYTHONPATH or skips site, and so never starts recording"
            )
    if python.kind == "file" and python.name.endswith(".ipynb") and Path(python.name).is_file():
        raise UsageError(f"{python.name} is a notebook: use `ca run jupyter execute {python.name}`")
    if python.kind != "file" or os.path.lexists(python.name):
        return
    what = "script" if os.sep in python.name or "." in python.name else "script or command"
    import difflib

    close = difflib.get_close_matches(python.name, map(str, Path().glob("*.py")), n=1, cutoff=0.75)
    meant = f": did you mean {close[0]}?" if close else ""
    raise UsageError(f"no such {what}: {python.name}{meant}")


def _of_project(config: Path | None) -> tuple[tuple[str, ...], bool]:
    """Return the names of secrets in the project's file, and whether source may be kept."""
    from ca_reports.gates import files

    found = files.find(Path.cwd(), config)
    if found is None:
        return (), True
    where = files.place(found.file)
    return files.secret_names(found.table, where), files.keeps_source(found.table, where)


def _absolute(path: str | None) -> str | None:
    """Return the path from the root: the program may change its current folder before the end."""
    return os.path.abspath(path) if path else None  # noqa: PTH100
