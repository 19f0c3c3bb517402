"""``ca run``: prepare a recording, then become the interpreter that runs the script."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperOption

from ca_cli import formats, gating, launcher, options, run_folder, sentinel, typed_program
from ca_cli.errors import UsageError
from ca_cli.options import PythonCommandLine, command
from ca_cli.python_command import parse_python
from ca_cli.recording import (
    RecordingOptions,
    current_folder,
    folder_of_script,
    new_run_file,
    python_target,
    recording_environment,
    refuse_what_cannot_be_recorded,
    run_name,
)
from ca_engine import cache_url

if TYPE_CHECKING:
    from ca_engine.settings import Settings, WatchedSource
    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.gates.config import GateSettings


class RunCommand(PythonCommandLine):
    """The command line of `ca run`."""

    usage = ("SCRIPT | FOLDER | COMMAND | -m MODULE | -c CODE | -", "[ARGS]...")

    def __init__(self, *args: Any, **settings: Any) -> None:
        """Keep the gate's options out of the help: `ca check --help` has them."""
        super().__init__(*args, **settings)
        gates = {option.name for option in gating.Flags.parameters()}
        for parameter in self.params:
            if parameter.name in gates and isinstance(parameter, TyperOption):
                parameter.hidden = True


@command(cls=RunCommand)
def run(
    recording: RecordingOptions,
    flags: gating.Flags,
    command: Annotated[
        list[str] | None,
        typer.Argument(hidden=True),  # `usage` says more than a list of arguments can
    ] = None,
    output: Annotated[
        Path | None,
        options.output_option("DIR", "ca-runs/SCRIPT-TIME", "The folder of the run; new or empty."),
    ] = None,
    report: Annotated[
        bool,
        typer.Option("--report/--no-report", help="Write report.html at the end."),
    ] = True,
    source: Annotated[
        bool,
        typer.Option("--source/--no-source", help="Keep the source that findings are about."),
    ] = True,
    quiet: Annotated[
        bool,
        typer.Option("--quiet", help="Print nothing at the end."),
    ] = False,
    cache: Annotated[
        str | None,
        typer.Option(
            "--cache",
            metavar="FILE|URL",
            help="Take compiled graphs from this file at the start, and put new ones there at the "
            "end; a URL is only read. Loading it runs code that is in it: use only files that you "
            "trust.",
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Then do as `ca check`, whose options may follow; exit code 1 if it fails.",
        ),
    ] = False,
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
    more: dict[str, Any] = {} if source else {"source": False}  # else as the project's file says
    if cache is not None:
        more["cache"] = _cache_place(cache)
    settings = recording.settings(
        flags.config, cwd=current_folder(), report=report, quiet=quiet, **more
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
    beside = folder_of_script(python) if launched is None else None
    folder = run_folder.create(output, name, datetime.fromtimestamp(now), beside)
    script = python.name if launched is not None else python_target(python)
    described = new_run_file(script, settings, now, beside)
    run_folder.write_run_file(folder, described)
    if settings.watch_lines:
        settings = replace(settings, watched=_failed_before(folder))
    if launched is None and settings.source:
        typed_program.keep(python, folder, settings.secrets)
    gate = None if allowed is None else partial(_judge, allowed, folder, settings)
    if launched is not None:
        launcher.become(line, folder, settings, gate)
    interpreter = [sys.executable, *python.after_interpreter()]
    # With a gate it is our child: a process cannot change the exit code that it ends with once
    # it is ending, and `os._exit` in its last handler would skip what C libraries do then. On
    # Windows exec starts another process and returns to the shell at once.
    if gate is not None or sys.platform == "win32":
        launcher.become(interpreter, folder, settings, gate)
    # Else nothing stands between the script and the user. An exec keeps the process id.
    environment = recording_environment(os.environ, folder, settings, root=os.getpid())
    sentinel.watch_over(folder, environment)
    os.execve(sys.executable, interpreter, environment)


def _failed_before(folder: Path) -> tuple[WatchedSource, ...]:
    """Return what guards failed on in the run before this one of the same command, if any."""
    from ca_engine.watch.watchpoints import MAX_WATCHES
    from ca_reports.errors import NothingReadable
    from ca_reports.run.failing import failed_sources
    from ca_reports.run.loading import earlier_run, load

    earlier = earlier_run(folder)
    try:
        return () if earlier is None else failed_sources(load([earlier]), MAX_WATCHES)
    except NothingReadable:
        # Its log is gone or can't be read: what fails in this run is seen from then on.
        return ()


def _cache_place(place: str) -> str:
    """Return a URL, or a file's absolute path. Raises `UsageError` where nothing can be."""
    if cache_url.is_url(place):
        if not cache_url.is_safe(place):
            raise UsageError(
                f"--cache {cache_url.shown(place)}: what it holds is run, so name an https:// "
                "address"
            )
        return place
    path = Path(place)
    if path.is_dir() or not path.absolute().parent.is_dir():
        what = "is a folder" if path.is_dir() else "lies in no folder that exists"
        raise UsageError(f"--cache {path} {what}: name a file")
    return str(path.absolute())


def _allowed(flags: gating.Flags) -> GateSettings:
    """Read what the gate will allow: now, because a mistake in it must not cost a training."""
    allowed = flags.settings()
    if allowed.baseline is not None:
        from ca_reports.gates import baseline

        baseline.read(allowed.baseline)
    return allowed


def _judge(
    allowed: GateSettings, folder: Path, settings: Settings, analysis: Analysis | None
) -> int:
    """Judge what the script left; print the outcome on stderr, for stdout is the script's."""
    from ca_cli.finish import say_what_caches_gave, say_where, shown_path

    if analysis is None:
        raise UsageError("nothing to check: nothing was recorded")
    verdict = gating.judge(analysis, allowed)
    if sys.stderr is not None and not (settings.quiet and verdict.ok):
        formats.show(formats.find("terminal", "verdict"), "verdict", verdict, sys.stderr)
        gating.say_settings(allowed)
        say_what_caches_gave(analysis, shown_path(folder, settings.cwd))
        page = folder / run_folder.REPORT
        say_where(folder, settings.cwd, has_report=page.is_file())
    formats.summarize("verdict", verdict)
    return gating.exit_code(verdict)
