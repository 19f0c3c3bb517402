"""One short run of a program, recorded: what `ca try` and `ca fix --verify` compare."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from ca_cli import run_folder
from ca_cli.errors import UsageError
from ca_cli.recording import RecordingOptions, recording_environment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ca_reports.trial import Configuration, TrialOutcome


def run(
    configuration: Configuration,
    line: Sequence[str],
    place: Path,
    steps: int,
    recording: RecordingOptions | None = None,
    cwd: Path | None = None,
) -> TrialOutcome:
    """Run ``line`` in ``cwd`` up to its backward ``steps``, recorded into the folder ``place``.

    Raises `UsageError` if nothing was recorded.
    """
    import ca_reports
    from ca_reports import trial
    from ca_reports.errors import NothingReadable

    sys.stderr.write(f"ca: {configuration.name}: {configuration.what} …\n")
    sys.stderr.flush()
    traces = place / run_folder.TRACE
    traces.mkdir(parents=True)
    changed: dict[str, Any] = dict(configuration.settings)
    settings = (recording or RecordingOptions()).settings(try_steps=steps, **changed)
    environment = recording_environment(os.environ, place, settings)
    printed = place / "output.txt"
    with printed.open("wb") as file:
        done = subprocess.run(
            line,
            env=environment,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            check=False,
        )
    error = _last_line(printed) if done.returncode else None
    try:
        found = ca_reports.load([traces])
    except NothingReadable:
        raise UsageError(
            f"nothing was recorded: the script imported no torch._dynamo{ended(error)}"
        ) from None
    text = printed.read_text("utf-8", "replace")
    return trial.outcome(configuration, found, done.returncode, error, text)


def require_backwards(outcome: TrialOutcome) -> None:
    """Raise `UsageError` if there is nothing to compare."""
    if not outcome.backwards:
        raise UsageError(f"the script ran no backward{ended(outcome.error)}")


def ended(error: str | None) -> str:
    """Return how the script ended, to follow a sentence."""
    return "" if error is None else f", and ended with: {error}"


def seconds(value: float | None) -> str:
    """Return a duration for a table."""
    if value is None:
        return "–"
    if value == 0:
        return "0 s"
    return f"{value:.1f} s" if value >= 1 else f"{value * 1000:.1f} ms"


def _last_line(path: Path) -> str:
    """The last line that was printed, most often the exception."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 4096))
        text = file.read().decode("utf-8", "replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "no message"
