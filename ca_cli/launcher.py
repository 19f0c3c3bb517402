"""Commands that are no Python script: ``ca run torchrun …``, ``ca run ./job.sh``.

A launcher starts the Python processes that are recorded, and need not be Python itself. So
`ca` stays its parent: it hands on signals, waits, and completes the run when it ended.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from ca_cli.console import tell
from ca_cli.errors import UsageError
from ca_cli.recording import recording_environment
from ca_engine.lazy_expressions import expression

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType

    from ca_cli.python_command import PythonCommand
    from ca_engine.settings import Settings
    from ca_reports.diagnosis.analysis import Analysis

    # From what was recorded, if anything, to an exit code.
    Gate = Callable[[Analysis | None], int]

# What an operator or a scheduler sends to the process it started: us.
_HANDED_ON = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGQUIT", "SIGWINCH", "SIGCONT")

_PYTHON_SHEBANG = expression(rb"#!.*\bpy(?:thon|py)[\d.]*t?\b")
_SCRIPT = expression(r"([\w.+-]+)\.py$")


def find(python: PythonCommand) -> str | None:
    """Return the path of the command that `python` names, None if it names a script.

    A name without a slash that is no file here is looked for in the folder of our own
    interpreter (an environment that is not activated) and on PATH. A file counts as a
    command if it can be executed and is no Python script.
    """
    if python.kind != "file":
        return None
    path = Path(python.name)
    if os.path.lexists(path):
        return os.path.abspath(path) if _is_command(path) else None  # noqa: PTH100
    if os.sep in python.name or (os.altsep and os.altsep in python.name):
        return None
    beside = str(Path(sys.executable).parent)
    found = shutil.which(
        python.name, path=os.pathsep.join([beside, os.environ.get("PATH", os.defpath)])
    )
    if found is not None and python.flags:
        raise UsageError(
            f"{' '.join(python.flags)}: options of Python, but {python.name} is a command "
            f"({found}); put them where that command starts Python"
        )
    return found


def run_name(command: Sequence[str]) -> str:
    """Return what the run is called after: the first Python script in it, else the command."""
    for argument in command[1:]:
        if found := _SCRIPT.search(argument):
            return found[1]
    return Path(command[0]).stem


def become(
    command: Sequence[str], folder: Path, settings: Settings, gate: Gate | None = None
) -> NoReturn:
    """Run `command`, recorded into `folder`, complete the run, and end as the command ended.

    If that is with 0, `gate` says what to end with instead.
    """
    child: subprocess.Popen[bytes] | None = None
    early: list[int] = []

    def hand_on(number: int, frame: FrameType | None) -> None:
        if child is None:
            early.append(number)
        else:
            child.send_signal(number)

    # Before the child, which may be sent a signal through us as soon as it prints something;
    # starting a program resets handlers, so it gets none of these.
    for name in _HANDED_ON:
        number = getattr(signal, name, None)
        # What we were told to ignore (nohup), the command is to ignore as well.
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, hand_on)
    try:
        # In our process group: what the terminal sends (Ctrl-C, Ctrl-Z) reaches both.
        environment = recording_environment(os.environ, folder, settings)
        child = subprocess.Popen(command, env=environment)
    except OSError as error:
        raise UsageError(f"cannot run {command[0]}: {error.strerror}") from None
    for number in early:
        child.send_signal(number)
    ctrl_c = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the command's
    code = child.wait()
    signal.signal(signal.SIGINT, ctrl_c)
    judged = gate is not None and code == 0
    ended = replace(settings, quiet=settings.quiet or judged)
    analysis = _finish(folder, ended, 128 - code if code < 0 else code)
    if code < 0:
        _die_by(-code)
    if gate is None or not judged:
        raise SystemExit(code)
    raise SystemExit(gate(analysis))


def _finish(folder: Path, settings: Settings, code: int) -> Analysis | None:
    """Complete the run; whatever goes wrong here, the exit code stays the command's."""
    from ca_cli.errors import explain
    from ca_cli.finish import finish

    try:
        return finish(folder, settings, code)
    except KeyboardInterrupt:
        pass  # the user does not want to wait for the report
    except Exception as error:
        tell(f"the run could not be completed: {explain(error)}")
    return None


def _die_by(number: int) -> None:
    """End by the signal that ended the command, so that whoever waits for us sees it."""
    sys.stderr.flush()
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    # A second core dump would only be ours.
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    os.kill(os.getpid(), number)


def _is_command(path: Path) -> bool:
    if not path.is_file() or not os.access(path, os.X_OK):
        return False
    try:
        with path.open("rb") as file:
            head = file.read(512)
    except OSError:
        return False
    if head.startswith(b"\x7fELF"):
        return True
    # pip and uv write `#!/bin/sh` and then an exec of Python where the path is long.
    return head.startswith(b"#!") and not _PYTHON_SHEBANG.match(head) and b"'''exec'" not in head
