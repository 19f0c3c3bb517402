"""Words about the graphs that inductor compiles in another process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.words.numbers import counted, duration
from ca_reports.words.values import first_few

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.run.background import BackgroundGraph
    from ca_reports.run.model import Run

_SETTLED = ("ready", "known", "refused", "waited")
_WITHOUT = {
    "compiling": "Not compiled in the background before the end",
    "failed": "Not compiled; runs as aot_eager runs it",
    "refused": "Compiled while the program waited",
    "waited": "Compiled while the program waited, after all",
}


def background_lines(run: Run) -> Iterator[str]:
    """Say what inductor compiled beside the program, when that took over, and what it did not."""
    graphs = [each for process in run.processes for each in process.background]
    if not graphs:
        return
    done = [each for each in graphs if each.state == "ready"]
    known = [each for each in graphs if each.state == "known"]
    of_all = counted(len(graphs), "graph")
    if known:
        yield f"Took {len(known)} of {of_all} from the caches that an earlier start filled."
    if len(known) < len(graphs):
        yield f"Compiled {len(done)} of {of_all} in the background{_beside(run, done)}."
    labels: dict[str, list[str]] = {}
    for each in graphs:
        what = _WITHOUT.get(each.state or "")
        if what is not None:
            why = f" ({each.reason})" if each.reason else ""
            labels.setdefault(f"{what}{why}", []).append(each.graph or "a graph")
    for words, of_one in labels.items():
        yield f"{words}: {first_few(of_one, 1)}."


def _beside(run: Run, done: Sequence[BackgroundGraph]) -> str:
    if not done:
        return ""
    seconds = sum(each.compile_seconds or 0.0 for each in done)
    own = sum(each.own_seconds or 0.0 for each in done)
    calls = sum(each.calls or 0 for each in done)
    reached = _full_speed(run)
    then = "" if reached is None else f"; full speed {duration(reached)} after the start"
    return (
        f", in {duration(seconds)}, of which the program waited {duration(own)}{then}. "
        f"Until then {counted(calls, 'call')} ran as aot_eager runs them"
    )


def _full_speed(run: Run) -> float | None:
    """Return the seconds from a process's start until its last graph took over; the most of any."""
    found = [
        max(times) - process.start
        for process in run.processes
        if process.start is not None
        and all(each.state in _SETTLED for each in process.background)
        and (times := [each.time for each in process.background if each.time is not None])
    ]
    return max(found, default=None)
