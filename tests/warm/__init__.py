"""Programs that find torch imported: what they do is as ever, and seconds faster.

For tests of what a program records, or what a command makes of it. Tests of how a process starts
(imports, interpreter flags, what `ca run` leaves untouched) run it by `subprocess`.
"""

from __future__ import annotations

import atexit
import fcntl
import functools
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from tests.warm.server import READ_LATER, receive_number, send

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SERVER = Path(__file__).with_name("server.py")


@functools.cache
def _session() -> str:
    """Return what the workers of one test session call it; this process, where there are none."""
    return os.environ.get("PYTEST_XDIST_TESTRUNUID") or uuid.uuid4().hex


def address() -> Path:
    """Return the socket that this session's server listens at. Nobody else may enter its folder."""
    folder = Path(tempfile.gettempdir()) / f"ca-tests-of-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    assert folder.stat().st_uid == os.getuid(), folder
    return folder / _session()


def _connected() -> socket.socket:
    """Connect to the server of this session; who comes first starts it."""
    path = address()
    connection = socket.socket(socket.AF_UNIX)
    with path.with_name("lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # until the file is closed
        try:
            connection.connect(str(path))
        except (FileNotFoundError, ConnectionRefusedError):
            path.unlink(missing_ok=True)
            _start(path)
            connection.connect(str(path))
    return connection


def _start(path: Path) -> None:
    """Start the server; it imports torch meanwhile, and ends when nobody is connected any more."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "CA_", "TORCH", "PYTEST", "COV_", "COLUMNS"))
    }
    environment["OMP_NUM_THREADS"] = "1"
    # Memory that is given back to the kernel after each compile comes back page by page.
    environment |= {
        "MALLOC_MMAP_THRESHOLD_": "1000000000",
        "MALLOC_TRIM_THRESHOLD_": "4000000000",
    }
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(64)
        _started.append(
            subprocess.Popen(
                [sys.executable, str(SERVER), str(listener.fileno())],
                env=environment,
                cwd="/",
                stdin=subprocess.DEVNULL,
                pass_fds=[listener.fileno()],
            )
        )


_started: list[subprocess.Popen[bytes]] = []  # kept, as each would warn that it still runs


def commands(folder: Path) -> Path:
    """Write `ca` and `python` into ``folder``, which run warm; return it.

    For a shell, and for what goes on while a test does something else. They end as what they run
    does, and hand on SIGINT, SIGTERM and SIGHUP. `python()` was called before.
    """
    folder.mkdir(exist_ok=True)
    client = [sys.executable, "-I", "-S", str(SERVER), str(address())]
    for name in ("ca", "python"):
        command = shlex.join([*client, str(Path(sys.executable).with_name(name))])
        (folder / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        (folder / name).chmod(0o755)
    return folder


class WarmPython:
    """A connection to the server, which runs one program after the other for it."""

    def __init__(self) -> None:
        """Connect, and so keep the server until `close`."""
        self._connection = _connected()
        atexit.register(self.close)

    def close(self) -> None:
        """Let the server end, if nobody else is connected."""
        self._connection.close()

    def run(
        self,
        command: Sequence[str | Path],
        *,
        cwd: Path,
        env: Mapping[str, str],
        stdin: str = "",
        timeout: float = 240,
    ) -> subprocess.CompletedProcess[str]:
        """Run ``python …`` or ``ca …`` as `subprocess.run` would, with all output as text.

        `command` begins with the path of either; flags of the interpreter are not known here.
        Raises subprocess.TimeoutExpired after `timeout` seconds, when the program was killed.
        """
        unknown = {name for name in env if name.startswith("TORCH")} - READ_LATER
        assert not unknown, f"{unknown} would be read too late: use `execute`"
        line = [str(part) for part in command]
        request = {"command": line, "cwd": str(cwd), "env": dict(env)}
        with (
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
        ):
            given.write(stdin.encode())
            given.seek(0)
            send(self._connection, request, [given.fileno(), out.fileno(), err.fileno()])
            self._connection.settimeout(None)  # a server that starts takes some seconds
            child = self._number()
            self._connection.settimeout(timeout)
            try:
                code = self._number()
            except TimeoutError:
                os.kill(child, signal.SIGKILL)
                self._connection.settimeout(None)
                self._number()
                raise subprocess.TimeoutExpired(line, timeout) from None
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read().decode().replace("\r\n", "\n"))
        return subprocess.CompletedProcess(line, code, *texts)

    def _number(self) -> int:
        try:
            return receive_number(self._connection)
        except EOFError:
            raise RuntimeError("the warm Python is gone; its stderr says why") from None


@functools.cache
def python() -> WarmPython:
    """The warm Python of this process, started when it is asked for first."""
    return WarmPython()
