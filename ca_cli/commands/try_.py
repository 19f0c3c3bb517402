"""``ca try``: short runs of a script under other options, side by side."""

from __future__ import annotations

import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ca_cli import launcher, options, trials
from ca_cli.console import console_on, say
from ca_cli.errors import UsageError
from ca_cli.options import PythonCommandLine, command
from ca_cli.python_command import PythonCommand, parse_python
from ca_cli.recording import (
    BackendOption,
    EnableOption,
    RecordingOptions,
    refuse_what_cannot_be_recorded,
)
from ca_cli.trial_progress import TrialProgress

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.patching.trial import TrialOutcome

DEFAULT_STEPS = 20


class TryCommand(PythonCommandLine):
    """The command line of `ca try`."""

    usage = ("SCRIPT | FOLDER | COMMAND | -m MODULE | -c CODE", "[ARGS]...")


@command(cls=TryCommand)
def try_(
    command: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
    steps: Annotated[
        int, typer.Option("--steps", min=1, metavar="N", help="Stop each run after N backwards.")
    ] = DEFAULT_STEPS,
    enable: EnableOption = False,
    backend: BackendOption = None,
    every: Annotated[
        bool,
        typer.Option("--all", help="Try all configurations, whatever the first run finds."),
    ] = False,
    output: Annotated[
        Path | None,
        options.output_option(
            "DIR", "keep nothing", "Keep the runs and what they printed; new or empty."
        ),
    ] = None,
) -> None:
    """Run a script briefly under other options, and compare.

    The first run is as the script says. What is found in it decides what else is tried:
    dynamic or static shapes on every compile, hooks left to Python, lowering, inductor in
    another process where recompiles waited for it, torch's own engine.
    Each run is the whole script up to its N-th backward; none of your files is changed,
    unless the script itself writes some. A command on PATH that starts Python (torchrun)
    works as well: each process stops by itself, and the losses of the lowest rank count.

    \b
    ca try train.py
    ca try --steps 50 train.py --epochs 1
    ca try --enable train.py
    ca try torchrun --nproc-per-node 2 train.py
    """  # noqa: D301 -- the character, which keeps these lines apart
    python = _command(command or [])
    if python.kind == "stdin":
        raise UsageError("ca try runs the script several times, but stdin can be read only once")
    launched = launcher.find(python)
    if launched is None:
        refuse_what_cannot_be_recorded(python)
        line = [sys.executable, *python.after_interpreter()]
    else:
        line = [launched, *python.arguments]
    from ca_reports.patching import trial

    recording = RecordingOptions(enable=enable, backend=backend)
    recording.settings()  # options that do nothing are refused before anything runs
    with ExitStack() as stack:
        if output is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ca-try-")))
        else:
            folder = _new_folder(output)
        progress = TrialProgress()
        outcomes = [trials.run(trial.AS_IS, line, folder / "as-is", steps, progress, recording)]
        trials.require_backwards(outcomes[0])
        others = trial.suggested(outcomes[0])
        if every:
            others = tuple(found for found in trial.CONFIGURATIONS if found is not trial.AS_IS)
        progress.expected = outcomes[0].seconds
        outcomes += [
            trials.run(one, line, folder / one.name.replace(" ", "-"), steps, progress, recording)
            for one in others
        ]
    _print_table(outcomes, enable=enable)
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
        raise UsageError(f"{output} exists: choose a new or empty folder with -o")
    output.mkdir(parents=True, exist_ok=True)
    return output.resolve()


def _print_table(outcomes: Sequence[TrialOutcome], *, enable: bool) -> None:
    from rich.table import Table
    from rich.text import Text

    from ca_reports.patching import trial
    from ca_reports.words.numbers import fine_duration

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
            fine_duration(found.seconds_lost),
            fine_duration(found.seconds_a_step),
            Text(agrees),  # may hold brackets, which Rich would take for its markup
        )
    console = console_on(sys.stdout)
    console.print(table, soft_wrap=False)
    if not first.captures:
        why = "" if enable else ": `ca try --enable` turns compiled autograd on"
        console.print(Text(f"No backward was captured{why}."))
    for line in _about_lowering(outcomes):
        console.print(Text(line))


def _about_lowering(outcomes: Sequence[TrialOutcome]) -> Iterator[str]:
    """Say what became of the captured graphs in the run with lowering."""
    for found in outcomes:
        if dict(found.configuration.settings).get("lowering") and found.captures:
            yield from found.lowering or (
                "Lowering: off, since it is untested with this torch (ca doctor).",
            )
