"""One short run of a program, recorded: what `ca try` and `ca fix --verify` compare."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, Any

from ca_cli import run_folder
from ca_cli.errors import UsageError
from ca_cli.recording import RecordingOptions, recording_environment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ca_reports.trial import Configuration, TrialOutcome


# How much of the end of what it printed is searched for an exception, in bytes.
_MOST_READ = 65536


def run(
    configuration: Configuration,
    line: Sequence[str],
    place: Path,
    steps: int,
    recording: RecordingOptions | None = None,
    cwd: Path | None = None,
) -> TrialOutcome:
    """Run ``line`` in ``cwd`` up to its backward ``steps``, recorded into the folder ``place``.

    Each run starts with empty caches of Inductor, which go with it.
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
    environment.setdefault("PYTHONHASHSEED", "0")  # the order of sets of texts
    printed = place / "output.txt"
    # With one cache for all, the first run would compile what later ones find compiled.
    with tempfile.TemporaryDirectory(prefix="ca-inductor-") as cache, printed.open("wb") as file:
        environment["TORCHINDUCTOR_CACHE_DIR"] = cache
        done = subprocess.run(
            line,
            env=environment,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            check=False,
        )
    error = _error(printed) if done.returncode else None
    try:
        found = ca_reports.load([traces])
    except NothingReadable:
        asks = "" if error else ", so it compiles nothing: --enable turns compiled autograd on"
        raise UsageError(
            f"nothing was recorded: the script imported no torch._dynamo{asks}{ended(error)}"
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


def _error(path: Path) -> str:
    """Read the exception that the script ended with, else the last line that it printed."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _MOST_READ))
        text = file.read().decode("utf-8", "replace")
    # Torch has more lines below the first of an exception.
    _, found, traceback = text.rpartition("Traceback (most recent call last):\n")
    if found:
        for line in traceback.splitlines():
            if line and not line[0].isspace():
                return line[:200]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "no message"
