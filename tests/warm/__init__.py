"""Programs that find torch imported: what they do is as ever, and seconds faster.

For tests of what a program records, or what a command makes of it. Tests of how a process starts
(imports, interpreter flags, what `ca run` leaves untouched) run it by `subprocess`.
"""

from __future__ import annotations

import atexit
import functools
import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.warm.server import receive_number, send

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SERVER = Path(__file__).with_name("server.py")
# What torch reads of its environment once, when it is imported, is the server's. These are read
# later, or again in the fork.
TORCH_VARIABLES = {"TORCH_TRACE", "TORCH_LOGS", "TORCHINDUCTOR_CACHE_DIR"}


class WarmPython:
    """One server, and the programs that it runs one after the other."""

    def __init__(self) -> None:
        """Start the server; it imports torch meanwhile."""
        self._connection, theirs = socket.socketpair()
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
        self._server = subprocess.Popen(
            [sys.executable, str(SERVER), str(theirs.fileno())],
            env=environment,
            cwd="/",
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )
        theirs.close()
        atexit.register(self.close)

    def close(self) -> None:
        """End the server."""
        self._connection.close()
        self._server.wait()

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
        unknown = {name for name in env if name.startswith("TORCH")} - TORCH_VARIABLES
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
