"""The processes of a run in words: which they are, how many, how they ended."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ca_reports.words.numbers import counted, every

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ca_reports.run.model import Run


def how_it_ended(run: Run) -> str | None:
    """Say how a run ended that did not end well."""
    codes = [recorded.exit_code for recorded in run.recorded if recorded.exit_code]
    if not codes:
        return None
    return f"The run ended with exit code {', '.join(str(code) for code in codes)}."


def is_running(run: Run) -> bool:
    """Return whether a process of the run is known to go on."""
    return any(process.is_running for process in (*run.processes, *run.helpers))


def process_count(run: Run, indices: Iterable[int] | None = None) -> str:
    """Say ``4 processes``; ``2 recordings`` where it is one process, recorded as often."""
    return counted(*_number_of_processes(run, indices))


def every_process(run: Run) -> str:
    """Say ``both processes``, ``all 4 processes``, as ``process_count`` counts them."""
    return every(*_number_of_processes(run, None))


def _number_of_processes(run: Run, indices: Iterable[int] | None) -> tuple[int, str]:
    chosen = [run.processes[index] for index in indices] if indices else run.processes
    # A process that does not say which it is is another one.
    distinct = {
        (found.host, found.rank, found.pid, found.index if found.pid is None else None)
        for found in chosen
    }
    if len(distinct) == 1 < len(chosen):
        return len(chosen), "recording"
    return len(distinct), "process"


def process_labels(run: Run) -> list[str]:
    """Return one label a process; where two would be equal, their numbers are added."""
    labels = [process.label for process in run.processes]
    times = Counter(labels)
    return [
        f"{label} #{index}" if times[label] > 1 else label for index, label in enumerate(labels)
    ]
