"""A process that compiles, from outside. It serves any graph of this process."""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any

from ca_engine import schema
from ca_engine.compat import vector_instructions
from ca_engine.lowering.background.compile_process import HEADER, NO_MEMORY

# Isolated, so that nothing of the program's is run a second time, recordings of `ca run` included.
_CODE = """
import os, sys
os.setpgid(0, 0)
sys.path[:] = sys.argv.pop(1).split(os.pathsep)
from ca_engine.lowering.background.compile_process import main
main()
"""
# What the program asked of its own traces and logs.
_NOT_PASSED_ON = ("TORCH_TRACE", "TORCH_LOGS", "TORCH_LOGS_OUT", "TORCH_COMPILE_DEBUG")
# The training goes first. Not the least there is: where all cores are busy, as with a training on
# the CPU, that would leave it a hundredth of one, and a compile would take an hour. Where the
# training had both of two cores, one step in ten took 28 ms at 5 and 8 ms at 10; the compile took
# a sixth longer.
NICE = 10
_AT_MOST_STARTED = 3  # again, after one that died
_SECONDS_TO_END = 5.0
# What the process may allocate, and each compiler that it starts: a quarter of the machine, and
# never less than so many bytes. Beyond that the graph is compiled as without the option.
_LEAST_BYTES = 4 << 30
# Without an answer, whatever the process does; a long compile on a busy machine takes minutes.
_MOST_SECONDS = 1800.0
_FORKED = "the program forked while it was compiled"


class WorkerError(Exception):
    """The graph will not be compiled; the text says why."""


class InductorError(WorkerError):
    """Inductor can't compile the graph there, and can't or must not here."""


@dataclass(frozen=True)
class CompileAnswer:
    """A cache of inductor's holds a graph under ``key``; ``seconds`` passed in the other process.

    None of a graph that an earlier start compiled, for which there is no other process.
    """

    key: str
    cache: schema.LoweringCache
    seconds: float | None


class Worker:
    """A process that compiles. No call waits for it: what can't be sent yet is kept."""

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._jobs = 0
        self._to_send = bytearray()
        self._received = b""
        self._outstanding: dict[int, bytes] = {}
        self._answers: dict[int, CompileAnswer | WorkerError] = {}
        self._started = 0
        self._is_ready = False
        self._last_answer = monotonic()
        # A backward may run in a thread of its own.
        self._lock = threading.RLock()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process if it does not run. Raises `WorkerError` if it can't."""
        if self._process is not None:
            return
        if self._started > _AT_MOST_STARTED:
            raise WorkerError("the compile process died again and again")
        if not sys.executable:
            raise WorkerError("there is no sys.executable to start a process with")
        self._started += 1
        self._is_ready = False
        self._to_send.clear()
        self._received = b""
        environment = {
            name: value
            for name, value in os.environ.items()
            if name not in _NOT_PASSED_ON and not name.startswith("CA_")
        }
        path = os.pathsep.join(os.path.abspath(each) for each in [*sys.path, _own_folder()])  # noqa: PTH100
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _CODE, path, str(NICE), str(most_bytes())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
            )
        except OSError as error:
            raise WorkerError(f"the compile process can't be started: {error}") from None
        assert process.stdin is not None
        assert process.stdout is not None
        os.set_blocking(process.stdin.fileno(), False)
        os.set_blocking(process.stdout.fileno(), False)
        self._process = process
        # So that it never stays a zombie, however long nobody asks for it.
        threading.Thread(target=process.wait, name="ca-compile-process", daemon=True).start()

    def is_ready(self) -> bool:
        """Return whether it has imported torch. Raises `WorkerError` if it died before."""
        with self._lock:
            self._communicate()
            if self._process is None:
                self.start()
            return self._is_ready

    def submit(self, job: bytes) -> int:
        """Send what `job.job_by_parts` made; return the number to ask for."""
        with self._lock:
            if not self._outstanding:
                self._last_answer = monotonic()
            self._jobs += 1
            if self._owner != os.getpid():
                self._answers[self._jobs] = InductorError(_FORKED)
            else:
                self._outstanding[self._jobs] = job
                self._send(self._jobs)
            return self._jobs

    def result(self, number: int) -> CompileAnswer | None:
        """Return what a job compiled to, None until it has. Raises `WorkerError`."""
        with self._lock:
            self._communicate()
            if self._outstanding and monotonic() - self._last_answer > _MOST_SECONDS:
                self._give_up()
            answer = self._answers.pop(number, None)
        if isinstance(answer, WorkerError):
            raise answer
        return answer

    def close(self) -> None:
        """End the process and the compilers that it started."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        self._close_pipes(process)
        try:
            os.killpg(process.pid, signal.SIGTERM)
        except OSError:
            process.terminate()  # it has no group of its own yet
        try:
            process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _give_up(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            self._close_pipes(process)
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except OSError:
                process.kill()  # it has no group of its own yet
        self._fail(f"the compile process did not answer for {_MOST_SECONDS / 60:.0f} minutes")

    def forked(self) -> None:
        """In a child of a fork: the process is the parent's."""
        process, self._process = self._process, None
        if process is not None:
            self._close_pipes(process)
            process.returncode = 0  # not ours to wait for
        self._lock = threading.RLock()
        # Nor is what it compiled loaded: inductor would wait for threads that stayed behind.
        for number in (*self._outstanding, *self._answers):
            self._answers[number] = InductorError(_FORKED)
        self._outstanding.clear()

    def _send(self, number: int) -> None:
        job = self._outstanding[number]
        self._to_send += HEADER.pack(len(job), number) + job
        self._communicate()

    def _communicate(self) -> None:
        process = self._process
        if process is None:
            return
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BlockingIOError, BrokenPipeError):
            while self._to_send:
                del self._to_send[: os.write(process.stdin.fileno(), self._to_send)]
        with suppress(BlockingIOError):
            while part := os.read(process.stdout.fileno(), 2**16):
                self._received += part
            self._ended(process)
        *lines, self._received = self._received.split(b"\n")
        for line in lines:
            self._answered(json.loads(line))

    def _answered(self, answer: dict[str, Any]) -> None:
        if "vector_instructions" in answer:
            vector_instructions.take_over(answer["vector_instructions"])
            return
        if "job" not in answer:
            self._is_ready = True
            return
        self._last_answer = monotonic()
        number = answer["job"]
        self._outstanding.pop(number, None)
        if "compile_error" in answer:
            self._answers[number] = InductorError(answer["compile_error"])
        elif "error" in answer:
            self._answers[number] = WorkerError(answer["error"])
        else:
            self._answers[number] = CompileAnswer(answer["key"], answer["cache"], answer["seconds"])

    def _ended(self, process: subprocess.Popen[bytes]) -> None:
        self._process = None
        code = process.wait()
        self._close_pipes(process)
        if code == 0:
            # It had nothing to do for long, and something came at that moment.
            self._started -= 1
            if self._outstanding:
                self.start()
                for number in self._outstanding:
                    self._send(number)
            return
        if code == NO_MEMORY:
            self._fail("the compile process ran out of the memory that it may take")
            return
        self._fail(
            f"the compile process was killed by {signal.Signals(-code).name}"
            if code < 0
            else f"the compile process ended with exit code {code}"
        )

    def _fail(self, why: str) -> None:
        for number in self._outstanding:
            self._answers[number] = WorkerError(why)
        self._outstanding.clear()

    @property
    def outstanding(self) -> int:
        """Count the jobs that it has not answered."""
        return len(self._outstanding)

    @staticmethod
    def _close_pipes(process: subprocess.Popen[bytes]) -> None:
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


def most_bytes() -> int:
    """Return how much memory the process may allocate."""
    try:
        machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        machine = 0
    return max(machine // 4, _LEAST_BYTES)


def _own_folder() -> str:
    """Return the folder to import this package from, which ``-I -S`` leaves out."""
    folder = __file__
    for _ in __name__.split("."):
        folder = os.path.dirname(folder)  # noqa: PTH120
    return folder


_worker: Worker | None = None


def the_worker() -> Worker:
    """Return the process's worker, started. Raises `WorkerError` if it can't be."""
    global _worker
    if _worker is None:
        _worker = Worker()
        atexit.register(_worker.close)
    _worker.start()
    return _worker


def _after_fork() -> None:
    global _worker
    if _worker is not None:
        _worker.forked()
        atexit.unregister(_worker.close)
        _worker = None


os.register_at_fork(after_in_child=_after_fork)
