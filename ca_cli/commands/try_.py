"""``ca try``: short runs of a script under other options, side by side."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ca_cli import launcher, run_folder
from ca_cli.console import console_on, say
from ca_cli.errors import UsageError
from ca_cli.options import PythonCommandLine
from ca_cli.python_command import PythonCommand, parse_python
from ca_cli.recording import (
    RecordingOptions,
    recording_environment,
    refuse_what_cannot_be_recorded,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.trial import Configuration, TrialOutcome

DEFAULT_STEPS = 20


class TryCommand(PythonCommandLine):
    """The command line of `ca try`."""

    usage = ("SCRIPT | FOLDER | COMMAND | -m MODULE | -c CODE", "[ARGS]...")


def try_(
    command: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
    steps: Annotated[
        int, typer.Option("--steps", min=1, metavar="N", help="Stop each run after N backwards.")
    ] = DEFAULT_STEPS,
    every: Annotated[
        bool,
        typer.Option("--all", help="Try all configurations, whatever the first run finds."),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            show_default="keep nothing",
            help="Keep the runs and what they printed; new or empty.",
        ),
    ] = None,
) -> None:
    """Run a script briefly under other options, and compare.

    The first run is as the script says. What is found in it decides what else is tried:
    dynamic or static shapes on every compile, hooks left to Python, torch's own engine.
    Each run is the whole script up to its N-th backward; none of your files is changed,
    unless the script itself writes some. A command on PATH that starts Python (torchrun)
    works as well: each process stops by itself, and the losses of the lowest rank count.

    \b
    ca try train.py
    ca try --steps 50 train.py --epochs 1
    ca try torchrun --nproc-per-node 2 train.py
    """  # noqa: D301 -- the character, which keeps these lines apart
    python = _command(command or [])
    if python.kind == "stdin":
        raise UsageError("ca try runs the script several times, and stdin can be read once")
    launched = launcher.find(python)
    if launched is None:
        refuse_what_cannot_be_recorded(python)
        line = [sys.executable, *python.after_interpreter()]
    else:
        line = [launched, *python.arguments]
    from ca_reports import trial

    with ExitStack() as stack:
        if output is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ca-try-")))
        else:
            folder = _new_folder(output)
        outcomes = [_run(trial.AS_IS, line, folder, steps)]
        if not outcomes[0].backwards:
            raise UsageError(_nothing_to_compare(outcomes[0]))
        others = trial.suggested(outcomes[0].findings)
        if every:
            others = tuple(found for found in trial.CONFIGURATIONS if found is not trial.AS_IS)
        outcomes += [_run(configuration, line, folder, steps) for configuration in others]
    _print_table(outcomes)
    if output is not None:
        say(f"the runs are in {output}", sys.stderr)


def _command(args: Sequence[str]) -> PythonCommand:
    python = parse_python(args)
    arguments = python.arguments
    if arguments[:1] == ("--",):
        # ca try train.py -- --epochs 1, as one may be used to from other tools.
        arguments = arguments[1:]
    return PythonCommand(python.flags, python.kind, python.name, arguments)


def _new_folder(output: Path) -> Path:
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise UsageError(f"{output} is there already: -o names a new or empty folder")
    output.mkdir(parents=True, exist_ok=True)
    return output.resolve()


def _run(configuration: Configuration, line: list[str], folder: Path, steps: int) -> TrialOutcome:
    import ca_reports
    from ca_reports import trial
    from ca_reports.errors import NothingReadable

    sys.stderr.write(f"ca: {configuration.name}: {configuration.what} …\n")
    sys.stderr.flush()
    place = folder / configuration.name.replace(" ", "-")
    traces = place / run_folder.TRACE
    traces.mkdir(parents=True)
    changed: dict[str, Any] = dict(configuration.settings)
    settings = RecordingOptions().settings(try_steps=steps, **changed)
    environment = recording_environment(os.environ, place, settings)
    printed = place / "output.txt"
    with printed.open("wb") as file:
        done = subprocess.run(
            line,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            check=False,
        )
    error = _last_line(printed) if done.returncode else None
    try:
        run = ca_reports.load([traces])
    except NothingReadable:
        raise UsageError(
            f"nothing was recorded: the script imported no torch._dynamo{_ended(error)}"
        ) from None
    return trial.outcome(configuration, run, done.returncode, error)


def _nothing_to_compare(outcome: TrialOutcome) -> str:
    return f"the script ran no backward{_ended(outcome.error)}"


def _ended(error: str | None) -> str:
    return "" if error is None else f", and ended with: {error}"


def _last_line(path: Path) -> str:
    """The last line that was printed, most often the exception."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 4096))
        text = file.read().decode("utf-8", "replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "no message"


def _print_table(outcomes: Sequence[TrialOutcome]) -> None:
    from rich.table import Table
    from rich.text import Text

    from ca_reports import trial

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("")
    for heading in ("backwards", "captures", "recompiles", "lost", "a step"):
        table.add_column(heading, justify="right")
    table.add_column("losses")
    first = outcomes[0]
    for found in outcomes:
        agrees = "" if found is first else trial.agreement(first, found)
        if found.error is not None:
            agrees = f"exit code {found.exit_code}: {found.error}"
        table.add_row(
            found.configuration.name,
            str(found.backwards),
            str(found.captures),
            str(found.recompiles),
            _seconds(found.seconds_lost),
            _seconds(found.seconds_a_step),
            Text(agrees),  # may hold brackets, which Rich would take for its markup
        )
    console_on(sys.stdout).print(table)


def _seconds(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    if seconds == 0:
        return "0 s"
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.1f} ms"
