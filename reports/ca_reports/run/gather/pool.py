"""Maps ``read_file`` over many files: here, in a pool of processes, or on a Dask cluster.

All three are one code path over ``concurrent.futures``; what comes back is in the order of
the files. A worker that dies costs the file that kills it, not the run.
"""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ca_reports.errors import CaError
from ca_reports.logs.damage import Damage
from ca_reports.logs.names import shown
from ca_reports.logs.opening import STDIN, is_url
from ca_reports.run.gather.collector import gc_paused
from ca_reports.run.gather.filereading import FileResult, read_file
from ca_reports.run.gather.helping import can_fork, end_with

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Executor, Future

    from ca_reports.run.build.bounds import Bounds

# Below so many bytes in all, starting a pool takes longer than it saves.
WORTH_A_POOL = 16 << 20
# More than two are faster than who reads what they found.
MAX_HELPERS = 2
_CONNECT_SECONDS = 20
_TICK = 0.25  # seconds


class NoScheduler(CaError):  # noqa: N818
    """The Dask scheduler cannot be used."""


class Progress(Protocol):
    """Is told how far reading has come; called from the thread that called ``read_all``."""

    def start(self, files: int, size: int | None) -> None:
        """So many files, of so many bytes if that is known (packed files count as packed)."""
        ...

    def advance(self, size: int) -> None:
        """So many bytes more were read."""
        ...

    def file_done(self) -> None:
        """One file more was read."""
        ...


def read_all(
    names: Sequence[str],
    bounds: Bounds,
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
    progress: Progress | None = None,
) -> list[FileResult]:
    """Read all files; the results are in their order.

    ``jobs`` processes (None: one a core, where it is worth it), or the workers of the Dask
    ``scheduler``, which must see the same files. Raises ``NoScheduler``.
    """
    sizes = [_size(name) for name in names]
    known = None if None in sizes else sum(size for size in sizes if size is not None)
    if progress is not None:
        progress.start(len(names), known)
    results: dict[int, FileResult] = {}
    helpers = 0
    apart = [index for index, name in enumerate(names) if name != STDIN]
    if scheduler is not None:
        with _dask(scheduler) as executor:
            _run(executor, names, apart, bounds, results, progress, sizes)
    else:
        cores = jobs or _cores()
        helpers = min(cores, MAX_HELPERS) if len(names) == 1 and cores > 1 else 0
        jobs = min(len(apart), cores)
        if jobs > 1 and (known is None or known >= WORTH_A_POOL):
            # The largest first: a large one begun last would be waited for alone.
            apart.sort(key=lambda index: -(sizes[index] or 0))
            try:
                with _workers(jobs) as executor:
                    _run(executor, names, apart, bounds, results, progress, sizes)
            except BrokenProcessPool:
                _one_by_one(names, apart, bounds, results, progress)
    for index, name in enumerate(names):
        if index not in results:
            step = None if progress is None else progress.advance
            results[index] = read_file(name, bounds, None, step, helpers)
            if progress is not None:
                progress.file_done()
    return [results[index] for index in range(len(names))]


def _run(
    executor: Executor,
    names: Sequence[str],
    indices: Sequence[int],
    bounds: Bounds,
    results: dict[int, FileResult],
    progress: Progress | None,
    sizes: Sequence[int | None],
) -> None:
    """Read the files ``indices`` in ``executor``; raises BrokenProcessPool if it broke."""
    running: dict[Future[FileResult], int] = {
        executor.submit(read_file, _anywhere(names[index]), bounds, shown(names[index])): index
        for index in indices
    }
    # The workers are there by now, and collect as they did.
    with gc_paused():
        _take(running, names, results, progress, sizes)


def _take(
    running: dict[Future[FileResult], int],
    names: Sequence[str],
    results: dict[int, FileResult],
    progress: Progress | None,
    sizes: Sequence[int | None],
) -> None:
    broken: BrokenProcessPool | None = None
    while running:
        finished, _ = wait(running, _TICK, FIRST_COMPLETED)
        if progress is not None:
            progress.advance(0)  # so that a bar appears although no file is done yet
        for future in finished:
            index = running.pop(future)
            try:
                results[index] = future.result()
            except BrokenProcessPool as error:
                broken = error
                continue
            except Exception as error:
                results[index] = _lost(names[index], error)
            if progress is not None:
                progress.advance(sizes[index] or 0)
                progress.file_done()
    if broken is not None:
        raise broken


def _one_by_one(
    names: Sequence[str],
    indices: Sequence[int],
    bounds: Bounds,
    results: dict[int, FileResult],
    progress: Progress | None,
) -> None:
    """After a worker died (killed for memory, most likely): each file in a process of its own."""
    for index in indices:
        if index in results:
            continue
        try:
            with _workers(1) as executor:
                _run(executor, names, [index], bounds, results, progress, [0] * len(names))
        except BrokenProcessPool as error:
            results[index] = _lost(names[index], error)


def _lost(name: str, error: Exception) -> FileResult:
    if isinstance(error, BrokenProcessPool) or type(error).__name__ == "KilledWorker":
        detail = "the process that read it was killed, possibly out of memory"
    else:
        detail = f"a worker could not read it: {type(error).__name__}: {error}"
    file = shown(name)
    return FileResult(file, (), (Damage(file, 0, "unreadable", detail),), 0, 0.0)


@contextmanager
def _dask(address: str) -> Iterator[Executor]:
    try:
        from distributed import Client
    except ImportError:
        raise NoScheduler(
            "--scheduler needs Dask: pip install 'ca-profiler[dask]' (here and on the workers)"
        ) from None
    try:
        client: Any = Client(  # type: ignore[no-untyped-call]
            address, timeout=_CONNECT_SECONDS, set_as_default=False
        )
    except (OSError, ValueError, TimeoutError) as error:
        raise NoScheduler(f"no Dask scheduler at {address}: {error}") from error
    with client:
        if not client.scheduler_info(n_workers=-1)["workers"]:
            raise NoScheduler(f"the Dask scheduler at {address} has no workers")
        executor: Executor = client.get_executor(pure=False)
        yield executor


def _workers(jobs: int) -> ProcessPoolExecutor:
    context = multiprocessing.get_context("fork" if can_fork() else "spawn")
    return ProcessPoolExecutor(jobs, context, initializer=end_with, initargs=(os.getpid(),))


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _anywhere(name: str) -> str:
    """Return ``name`` as a worker in another folder would say it."""
    return name if is_url(name) else os.path.abspath(name)  # noqa: PTH100  # keeps links


def _size(name: str) -> int | None:
    if name == STDIN or is_url(name):
        return None
    try:
        return Path(name).stat().st_size
    except OSError:
        return 0
