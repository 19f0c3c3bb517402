"""One short run of a program, recorded: what `ca try` and `ca fix --verify` compare."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from ca_cli import run_folder
from ca_cli.errors import UsageError
from ca_cli.recording import RecordingOptions, recording_environment
from ca_engine.lazy_expressions import expression

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from ca_reports.patching.trial import Configuration, TrialOutcome


# How much of the end of what it printed is searched for an exception, in bytes.
_MOST_READ = 65536
# What torch writes before each line of an exception in a process group.
_OF_RANK = expression(r"^\[rank\d+\]: ?", re.MULTILINE)
# What is read of what it printed, to be compared, in bytes.
_MOST_COMPARED = 16 * 1024 * 1024
# How often a waiting bar moves, and how long a program that is told to end may take, in seconds.
_GLANCE = 0.1
_GRACE = 5.0
# A signal that ends us ends the program as well.
_ENDING = ("SIGTERM", "SIGHUP")


class NothingRecordedError(UsageError):
    """The program imported no torch._dynamo; ``outcome`` is how it ended."""

    def __init__(self, message: str, outcome: TrialOutcome) -> None:
        super().__init__(message)
        self.outcome = outcome


class RunDisplay(Protocol):
    """What is shown while a run goes on."""

    def begin(self, name: str, what: str) -> None: ...
    def wait(self, seconds: float) -> None: ...
    def end(self) -> None: ...


def run(
    configuration: Configuration,
    line: Sequence[str],
    place: Path,
    steps: int,
    waiting: RunDisplay,
    recording: RecordingOptions | None = None,
    cwd: Path | None = None,
    timeout: float | None = None,
) -> TrialOutcome:
    """Run ``line`` in ``cwd`` up to its backward ``steps``, recorded into the folder ``place``.

    Each run starts with empty caches of Inductor, which go with it. One that takes longer than
    ``timeout`` seconds is ended; so is one that we do not wait for to the end.
    Raises `NothingRecordedError` if nothing was recorded.
    """
    import ca_reports
    from ca_reports.errors import NothingReadable
    from ca_reports.patching import trial
    from ca_reports.words.numbers import rough_duration

    traces = place / run_folder.TRACE
    traces.mkdir(parents=True)
    changed: dict[str, Any] = dict(configuration.settings)
    settings = (recording or RecordingOptions()).settings(try_steps=steps, **changed)
    environment = recording_environment(os.environ, place, settings)
    environment.setdefault("PYTHONHASHSEED", "0")  # the order of sets of texts
    printed, logged = place / "output.txt", place / "errors.txt"
    waiting.begin(configuration.name, configuration.what)
    try:
        # With one cache for all, the first run would compile what later ones find compiled.
        with tempfile.TemporaryDirectory(
            prefix="ca-inductor-", ignore_cleanup_errors=True
        ) as cache:
            environment["TORCHINDUCTOR_CACHE_DIR"] = cache
            begin = time.monotonic()
            code, was_stopped = _run(line, environment, cwd, printed, logged, waiting, timeout)
            seconds = time.monotonic() - begin
    finally:
        waiting.end()
    error = None
    if was_stopped:
        error = f"still running after {rough_duration(seconds)}: --timeout takes more"
    elif code < 0:
        error = f"killed by {_signal_name(-code)}"
    elif code:
        error = _error(logged) or _error(printed) or "no message"
    told = trial.Ended(code, error, _text(printed), _text(logged), seconds, was_stopped)
    try:
        found = ca_reports.load([traces])
    except NothingReadable:
        asks = "" if error else ", so it compiles nothing: --enable turns compiled autograd on"
        raise NothingRecordedError(
            f"nothing was recorded: the script imported no torch._dynamo{asks}{ended(error)}",
            trial.unrecorded(configuration, told),
        ) from None
    return trial.outcome(configuration, found, told)


def _run(
    line: Sequence[str],
    environment: Mapping[str, str],
    cwd: Path | None,
    printed: Path,
    logged: Path,
    waiting: RunDisplay,
    timeout: float | None,
) -> tuple[int, bool]:
    """Return the exit code, and whether the program took too long and was ended."""
    with printed.open("wb") as output, logged.open("wb") as errors, _ended_by_signals():
        process = subprocess.Popen(
            line,
            env=environment,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            # A group of its own, so that all that it starts ends with it.
            start_new_session=True,
        )
        begin = time.monotonic()
        try:
            while not _has_ended(process):
                passed = time.monotonic() - begin
                waiting.wait(passed)
                if timeout is not None and passed > timeout:
                    _end(process)
                    return process.wait(), True
        except BaseException:
            _end(process)
            raise
        return process.wait(), False


def _has_ended(process: subprocess.Popen[bytes], within: float = _GLANCE) -> bool:
    try:
        process.wait(within)
    except subprocess.TimeoutExpired:
        return False
    return True


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Meanwhile a signal that ends us raises SystemExit, so that the program also ends."""

    def end(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    names = _ENDING if threading.current_thread() is threading.main_thread() else ()
    numbers = [found for name in names if (found := getattr(signal, name, None)) is not None]
    before = {number: signal.signal(number, end) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the program and what it started: first by a request, then at once."""
    if not hasattr(os, "killpg"):
        process.kill()
        return
    if _signalled(process, signal.SIGTERM):
        _has_ended(process, _GRACE)
        _signalled(process, signal.SIGKILL)


def _signalled(process: subprocess.Popen[bytes], number: int) -> bool:
    """Send a signal to the program's group; return whether there is one."""
    try:
        os.killpg(process.pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def require_backwards(outcome: TrialOutcome) -> None:
    """Raise `UsageError` if there is nothing to compare."""
    if not outcome.backwards:
        raise UsageError(f"the script ran no backward{ended(outcome.error)}")


def ended(error: str | None) -> str:
    """Return how the script ended, to follow a sentence."""
    return "" if error is None else f", and ended with: {error}"


def _text(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(_MOST_COMPARED).decode("utf-8", "replace")


def _error(path: Path) -> str | None:
    """Read the exception that the script ended with, else the last line that it printed."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _MOST_READ))
        text = _OF_RANK.sub("", file.read().decode("utf-8", "replace"))
    # Torch has more lines below the first of an exception.
    _, found, traceback = text.rpartition("Traceback (most recent call last):\n")
    if found:
        for line in traceback.splitlines():
            if line and not line[0].isspace():
                return line[:200]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else None
