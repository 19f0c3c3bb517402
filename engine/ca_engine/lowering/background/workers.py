"""As many processes that compile as there are cores that the training leaves.

The first is started for the first graph. Another one is started for a graph that would wait behind
others, if there is a core and memory for it. Each serves any graph of this process.
"""

from __future__ import annotations

import atexit
import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from ca_engine.compat import inductor_cache
from ca_engine.lowering.background import worker
from ca_engine.lowering.background.worker import CompileAnswer, Worker, WorkerError

# More than these would wait for each other's files and for this process, which loads what they
# compiled.
_MOST = 4
# Another process is started only while so much memory is left: twice what one took that compiled a
# GPT's backward, its C++ compiler included.
_NEEDED_BYTES = 4 << 30
# A process that compiles for a GPU has a context of its own there, which takes memory. A training
# that has so little left waits for its compiles.
_NEEDED_GPU_BYTES = 2 << 30


class Workers:
    """Processes that compile, in the place of one."""

    def __init__(self, first: Worker) -> None:
        self.first = first
        self._owner = os.getpid()
        self._all = [first]
        self._jobs: list[tuple[Worker, int]] = []
        # A backward may run in a thread of its own.
        self._lock = threading.Lock()

    def is_ready(self) -> bool:
        """Return whether the first has imported torch. Raises `WorkerError` if it died before."""
        return self.first.is_ready()

    def submit(self, job: bytes) -> int:
        """Send a job to the one with the least to do; return the number to ask for."""
        with self._lock:
            chosen = self.first if self._owner != os.getpid() else self._least_busy()
            self._jobs.append((chosen, chosen.submit(job)))
            return len(self._jobs) - 1

    def result(self, number: int) -> CompileAnswer | None:
        """Return what a job compiled to, None until it has. Raises `WorkerError`."""
        chosen, own_number = self._jobs[number]
        return chosen.result(own_number)

    def _least_busy(self) -> Worker:
        least = min(self._all, key=lambda one: one.outstanding)
        if not least.outstanding or len(self._all) >= most_processes() or not has_memory():
            return least
        another = Worker()
        try:
            another.start()
        except WorkerError:
            return least
        atexit.register(another.close)
        self._all.append(another)
        return another

    def forked(self) -> None:
        """In a child of a fork: the processes are the parent's."""
        self._lock = threading.Lock()
        for each in self._all[1:]:  # the module `worker` calls the first one's
            each.forked()
            atexit.unregister(each.close)

    def close(self) -> None:
        """End the processes but the first, and the compilers that they started."""
        for each in self._all[1:]:
            each.close()
            atexit.unregister(each.close)
        del self._all[1:]


def most_processes() -> int:
    """Return how many may compile at a time: each keeps one core busy.

    Cores are what this process may use, shared by the ranks of this machine. Threads that torch
    computes with are taken to need theirs.
    """
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # no Linux
        cores = os.cpu_count() or 1
    ranks = os.environ.get("LOCAL_WORLD_SIZE", "")
    cores //= max(int(ranks), 1) if ranks.isdecimal() else 1
    return min(max(cores - torch.get_num_threads(), 1), _MOST)


def has_memory() -> bool:
    """Return whether there is memory for another process; not where that is unknown."""
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        left = next(line.split()[1] for line in lines if line.startswith("MemAvailable:"))
        bytes_left = int(left) * 1024
    except (OSError, ValueError, StopIteration, IndexError):
        return False
    with suppress(OSError, ValueError):  # no container, or one without a bound ("max")
        most, taken = (
            int(Path("/sys/fs/cgroup", name).read_text("ascii"))
            for name in ("memory.max", "memory.current")
        )
        bytes_left = min(bytes_left, most - taken)
    return bytes_left >= _NEEDED_BYTES


def refuse_gpu(gpu: torch.device, options: dict[str, Any]) -> None:
    """Raise `WorkerError` if no other process shall compile for ``gpu`` with ``options``."""
    if inductor_cache.measures_kernels(options):
        raise WorkerError("inductor would measure kernels (max_autotune) beside the training")
    if torch.cuda.mem_get_info(gpu)[0] < _NEEDED_GPU_BYTES:
        raise WorkerError(f"less than 2 GiB of the memory of {gpu} are left")


_workers: Workers | None = None


def the_workers() -> Workers:
    """Return those of this process, the first started. Raises `WorkerError` if it can't be."""
    global _workers
    first = worker.the_worker()
    if _workers is None or _workers.first is not first:
        _workers = Workers(first)
    return _workers


def _after_fork() -> None:
    global _workers
    if _workers is not None:
        _workers.forked()
        _workers = None


os.register_at_fork(after_in_child=_after_fork)
