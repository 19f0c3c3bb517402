"""``ca fix --verify``: the run's own command, as it was and with a patch, none of them written.

The patched files lie in a folder of their own, and `ca_engine/_overlay/overlay.py` runs them in
the place of the user's.
"""

from __future__ import annotations

import json
import shlex
import sys
from bisect import bisect
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import typer

import ca_engine
from ca_cli import launcher, trials
from ca_cli.commands.run import run
from ca_cli.console import tell
from ca_cli.errors import UsageError
from ca_cli.python_command import parse_python
from ca_cli.recording import RecordingOptions
from ca_engine.lazy_classes import dataclass
from ca_engine.redaction import REDACTED
from ca_reports.words.numbers import counted, rough_duration

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ca_cli.python_command import PythonCommand
    from ca_reports.causes.findings import Finding
    from ca_reports.patching.trial import TrialOutcome
    from ca_reports.run.model import Event, Run

OVERLAY = Path(ca_engine.__file__).parent / "_overlay" / "overlay.py"
_FEWEST_STEPS = 10
# Backwards after the finding's first, so that what follows from it shows as well.
_MORE_STEPS = 5
# Seconds that a recorded run may have taken to be run whole.
_SHORT = 60.0
_TO_ITS_END = 1_000_000_000
# A patched program may take so many times what the unchanged one took, and so many seconds more.
_SLOWER, _STARTING = 5.0, 60.0
# Seconds for one that goes on where the unchanged one stopped.
_AFTER_CRASH = 600.0


@dataclass(frozen=True)
class Command:
    """The command of a run: what it started, where, and how it was recorded.

    ``launcher`` is the path of what started Python (torchrun), ``script_at`` which of its
    arguments is the script.
    """

    python: PythonCommand
    recording: RecordingOptions
    cwd: Path
    launcher: str | None = None
    script_at: int = 0

    @property
    def shown(self) -> str:
        """Return the command as the user would type it."""
        before = [] if self.launcher is not None else ["python"]
        return shlex.join([*before, *self.python.after_interpreter()])

    def line(self, texts: Path | None = None) -> list[str]:
        """Return the command, with the files that ``texts`` names in the place of the user's."""
        replaced = [] if texts is None else [str(OVERLAY), str(texts)]
        if self.launcher is not None:
            arguments = self.python.arguments
            at = self.script_at
            return [self.launcher, *arguments[:at], *replaced, *arguments[at:]]
        if texts is None:
            return [sys.executable, *self.python.after_interpreter()]
        target = ["-m"] if self.python.kind == "module" else []
        program = [*target, self.python.name, *self.python.arguments]
        return [sys.executable, *self.python.flags, *replaced, *program]

    def run(
        self,
        name: str,
        what: str,
        place: Path,
        limits: RunLimits,
        waiting: trials.RunDisplay,
        changed: Mapping[Path, str] | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> TrialOutcome:
        """Run it within ``limits``, with other texts for the files in ``changed``.

        ``settings`` are those of the recording that differ.
        """
        from ca_reports.patching.trial import Configuration

        place.mkdir(parents=True)
        return trials.run(
            Configuration(name, what, tuple((settings or {}).items())),
            self.line(None if changed is None else _written(changed, place)),
            place,
            limits.steps or _TO_ITS_END,
            waiting,
            self.recording,
            self.cwd,
            limits.timeout,
        )


@dataclass(frozen=True)
class RunLimits:
    """Where each run stops: after ``steps`` backwards, None: at its end; after some seconds."""

    steps: int | None
    timeout: float | None = None

    def after(self, as_is: TrialOutcome) -> RunLimits:
        """Return the limits of patched runs: as many times what the unchanged program took."""
        if self.timeout is not None or as_is.seconds is None:
            return self
        # One that stopped early says nothing of how long the rest takes.
        most = _SLOWER * as_is.seconds + _STARTING
        return replace(self, timeout=max(most, _AFTER_CRASH) if as_is.crashed else most)


def command_of(found: Run, option: str = "--verify") -> Command:
    """Return what `ca run` was given. Raises `UsageError` if that cannot be run again.

    ``option`` is the one that asks for it.
    """
    recorded = found.recorded[0] if len(found.recorded) == 1 else None
    if recorded is None or recorded.cwd is None or recorded.command[:2] != ("ca", "run"):
        raise UsageError(f"{option} needs one run of `ca run`, whose command it runs again")
    if any(REDACTED in argument for argument in recorded.command):
        raise UsageError(f"{option} cannot run the command again: secrets were left out of the run")
    given = run.make_context("ca run", list(recorded.command[2:])).params
    python = parse_python(cast("list[str]", given.get("command") or []))
    cwd = Path(recorded.cwd)
    if python.kind in ("stdin", "code"):
        raise UsageError(f"{option} needs a script or -m MODULE: this run was not started from one")
    own = cwd / python.name
    launched = launcher.find(replace(python, name=str(own)) if own.is_file() else python)
    if python.kind == "file" and launched is None and not own.is_file():
        raise UsageError(f"{option}: {own} is not a script that can be run again")
    options = RecordingOptions.made_of(
        {one.name: given[one.name] for one in RecordingOptions.parameters()}
    )
    if launched is None:
        return Command(python, options, cwd)
    scripts = (
        at
        for at, argument in enumerate(python.arguments)
        if argument.endswith(".py") and (cwd / argument).is_file()
    )
    script_at = next(scripts, None)
    if script_at is None:
        raise UsageError(f"{option} finds no script in the arguments of {python.name}")
    return Command(python, options, cwd, launched, script_at)


def steps_for(findings: Iterable[Finding], found: Run) -> int | None:
    """Return how many backwards to run: all (None) of a short run, else enough to see the findings.

    Those are what shows the first event of each finding, and some more. An event that does not say
    its backward, such as a recompile of a forward, comes after those that began before it.
    """
    seconds = recorded_seconds(found)
    has_raised = any(one.end is not None and one.end.error is not None for one in found.processes)
    if seconds is not None and seconds <= _SHORT and not has_raised:
        return None
    starts = {process.index: process.step_starts or () for process in found.processes}
    first = [
        min((_step(event, starts.get(event.process, ())) for event in one.events), default=0)
        for one in findings
    ]
    return max(_FEWEST_STEPS, max(first, default=0) + 1 + _MORE_STEPS)


def recorded_seconds(found: Run) -> float | None:
    """Return how long the recorded program ran; None if that is not known."""
    (recorded,) = found.recorded
    if recorded.start is None or recorded.end is None:
        return None
    return max(0.0, recorded.end - recorded.start)


def _step(event: Event, starts: Sequence[float]) -> int:
    step: int | None = getattr(event, "step", None)
    time: float | None = getattr(event, "time", None)
    if step is None:
        return 0 if time is None else bisect(starts, time)
    return step


def agree_to(
    command: Command,
    runs: tuple[int, int],
    steps: int | None,
    expected: float | None,
    *,
    yes: bool,
    quiet: bool,
    option: str = "--verify",
) -> None:
    """Say what will run, how often at least and at most, how long each takes, and ask.

    Raises `UsageError` where nobody can be asked.
    """
    fewest, most = runs
    times = counted(most, "time") if most == fewest else f"{fewest} to {counted(most, 'time')}"
    until = "to its end" if steps is None else f"up to {counted(steps, 'backward')} each"
    about = "" if expected is None else f", about {rough_duration(expected)} each"
    if not (quiet and yes):
        tell(
            f"{option} runs `{command.shown}` in {command.cwd} {times}, {until}{about}; "
            "whatever it writes or uploads, it does again"
        )
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError("cannot ask without a terminal: --yes runs it")
    if not typer.confirm("Run it?", err=True):
        raise typer.Exit


def _written(changed: Mapping[Path, str], place: Path) -> Path:
    named = {}
    for number, (path, text) in enumerate(changed.items()):
        own = place / f"{number}-{path.name}"
        own.write_bytes(text.encode())
        named[str(path)] = str(own)
    texts = place / "texts.json"
    texts.write_text(json.dumps(named), "utf-8")
    return texts
