"""Words about the graphs that inductor compiles in another process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.sentences.places import run_cwd, shown_place
from ca_reports.sentences.processes import process_labels
from ca_reports.words.numbers import counted, duration, rough_duration
from ca_reports.words.values import first_few

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.run.background import BackgroundGraph
    from ca_reports.run.model import Frame, Process, Run

_TOOK_OVER = ("ready", "waited")
_SETTLED = (*_TOOK_OVER, "known", "refused")
# Of those that compile, so many are named.
_NAMED = 4
_WITHOUT = {
    "compiling": "Not compiled in the background before the end",
    "failed": "Not compiled; runs as aot_eager runs it",
    "refused": "Compiled while the program waited",
    "waited": "Compiled while the program waited, after all",
}


def background_lines(run: Run) -> Iterator[str]:
    """Say what inductor compiled beside the program, when that took over, and what it did not."""
    graphs = [each for process in run.processes for each in process.background]
    if graphs:
        yield from _graph_lines(graphs)
    reached = _full_speed(run)
    if reached is not None:
        yield f"Full speed from {duration(reached)} after the start, when the last graph took over."


def _graph_lines(graphs: Sequence[BackgroundGraph]) -> Iterator[str]:
    done = [each for each in graphs if each.state == "ready"]
    known = [each for each in graphs if each.state == "known"]
    of_all = counted(len(graphs), "graph")
    if known:
        yield f"Took {len(known)} of {of_all} from the caches that an earlier start filled."
    if len(known) < len(graphs):
        yield f"Compiled {len(done)} of {of_all} in the background{_beside(done)}."
    labels: dict[str, list[str]] = {}
    for each in graphs:
        what = _WITHOUT.get(each.state or "")
        if what is not None:
            why = f" ({each.reason})" if each.reason else ""
            labels.setdefault(f"{what}{why}", []).append(each.graph or "a graph")
    for words, of_one in labels.items():
        yield f"{words}: {first_few(of_one, 1)}."


def _beside(done: Sequence[BackgroundGraph]) -> str:
    if not done:
        return ""
    seconds = sum(each.compile_seconds or 0.0 for each in done)
    own = sum(each.own_seconds or 0.0 for each in done)
    calls = sum(each.calls or 0 for each in done)
    return (
        f", in {duration(seconds)}, of which the program waited {duration(own)}. "
        f"Until then {counted(calls, 'call')} ran as aot_eager runs them"
    )


def _full_speed(run: Run) -> float | None:
    """Return the seconds from a process's start until its last graph took over; the most of any."""
    found = []
    for process in run.processes:
        took_over = [each.time for each in process.background if each.state in _TOOK_OVER]
        is_settled = all(each.state in _SETTLED for each in process.background)
        for capture in process.captures:
            lowering = capture.lowering
            if lowering is not None and lowering.background is not None:
                took_over.append(lowering.time)
                is_settled &= lowering.background.is_done
        times = [each for each in took_over if each is not None]
        if process.start is not None and is_settled and times:
            found.append(max(times) - process.start)
    return max(found, default=None)


def compiling_lines(run: Run, now: float) -> Iterator[str]:
    """Say for each process that runs what inductor compiles beside it at ``now``."""
    labels = process_labels(run)
    for process in run.processes:
        if process.end is not None:
            continue
        waiting = _compiling(process, run_cwd(run))
        if not waiting:
            continue
        since = min((time for _, time in waiting if time is not None), default=None)
        whose = f" for {labels[process.index]}" if len(run.processes) > 1 else ""
        began = f", the first for {rough_duration(max(0.0, now - since))}" if since else ""
        names = ", ".join(label for label, _ in waiting[:_NAMED])
        more = len(waiting) - _NAMED
        yield (
            f"Compiling {counted(len(waiting), 'graph')} in the background{whose}{began}: "
            f"{names}{f' and {more} more' if more > 0 else ''}."
        )


def _compiling(process: Process, cwd: str | None) -> list[tuple[str, float | None]]:
    """Return the graphs that have not taken over, each with when it was put off."""
    code = {each.compile_id: each.location for each in process.compiles}
    found = [
        (_with_place(each.graph or "a graph", code.get(each.graph or ""), cwd), each.time)
        for each in process.background
        if each.state == "compiling"
    ]
    for capture in process.captures:
        lowering = capture.lowering
        if lowering is None or lowering.background is None:
            continue
        if lowering.background.state == "compiling":
            found.append((_with_place(capture.label, capture.backward_call, cwd), lowering.time))
    return found


def _with_place(label: str, place: Frame | None, cwd: str | None) -> str:
    return label if place is None else f"{label} ({place.function}, {shown_place(place, cwd)})"
