"""A run in time: what the page's timeline draws and what a Perfetto trace holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ca_engine.lazy_classes import dataclass
from ca_reports.sentences.phases import OF_COMPILE, PHASE_WORDS
from ca_reports.sentences.processes import process_labels
from ca_reports.words.numbers import duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.run.model import Backwards, Capture, Compile, Process, Run

# More backwards than this, over all processes, are thinned out and the page says so.
MAX_BACKWARDS = 200_000
# Lowering stands where Dynamo would, and has its colour.
_COLOURS = {"lowering": "dynamo"}
_CACHE_OF_PHASE = {"aot": "aot", "backend": "fx"}


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """Something that took time. ``start`` is seconds since the epoch.

    ``row`` is ``capture``, ``compile``, ``phase`` or ``background``; ``kind`` what the page colours
    it by.
    """

    start: float
    seconds: float
    row: str
    kind: str
    label: str
    target: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """``head`` for the page; ``left_out`` backwards are not in it."""

    head: dict[str, Any]
    left_out: int


def spans(process: Process) -> Iterator[TimeSpan]:
    """Yield captures and compiles with a time, and the phases of each compile in their order."""
    for capture in process.captures:
        start = began(capture)
        if start is not None and capture.seconds.capture is not None:
            target = f"capture-{capture.process}-{capture.id}"
            yield TimeSpan(
                start, capture.seconds.capture, "capture", "capture", capture.label, target
            )
    for compiled in process.compiles:
        if compiled.time is None or compiled.seconds is None:
            continue
        target = f"capture-{compiled.process}-{compiled.capture}" if _captured(compiled) else ""
        yield TimeSpan(
            compiled.time, compiled.seconds, "compile", "compile", compiled.compile_id, target
        )
        at = compiled.time
        for phase in OF_COMPILE:
            seconds = compiled.phases.get(phase)
            if seconds:
                label = _phase_label(compiled, phase)
                yield TimeSpan(at, seconds, "phase", _COLOURS.get(phase, phase), label, target)
                at += seconds


def background_spans(process: Process) -> Iterator[TimeSpan]:
    """Yield graphs that inductor compiled beside the process, from when they were put off.

    They overlap each other. One that had not taken over by the end lasts until then.
    """
    for graph in process.background:
        yield from _beside(process, graph.state, graph.time, graph.waited, graph.graph or "", "")
    for capture in process.captures:
        lowering = capture.lowering
        if lowering is not None and lowering.background is not None:
            found = lowering.background
            target = f"capture-{capture.process}-{capture.id}"
            times = (lowering.time, found.waited)
            yield from _beside(process, found.state, *times, capture.label, target)


def _beside(
    process: Process,
    state: str | None,
    time: float | None,
    waited: float | None,
    label: str,
    target: str,
) -> Iterator[TimeSpan]:
    end = process.last
    if time is None or state in ("known", "refused"):
        return
    if state == "compiling":
        seconds, word = max(0.0, (time if end is None else end) - time), "not done"
    else:
        seconds, word = waited or 0.0, "" if state in ("ready", "guard") else state or ""
        time -= seconds
    if seconds:
        named = f"{label} ({word})" if word else label
        yield TimeSpan(time, seconds, "background", "background", named, target)


def _phase_label(compiled: Compile, phase: str) -> str:
    """Return ``AOT, cache miss``: a phase, and what the cache behind it made of it."""
    cache = _CACHE_OF_PHASE.get(phase)
    told = [PHASE_WORDS[phase]]
    told += [
        f"cache {result}" for result in ("hit", "miss") if compiled.cache.get(f"{cache}_{result}")
    ]
    if phase == "backend" and compiled.kernels:
        told.append(f"Triton/C++ {duration(compiled.kernels)}")
    told += [f"not cached: {reason}" for reason in compiled.bypasses if _is_of(reason, phase)]
    return ", ".join(told)


def _is_of(reason: str, phase: str) -> bool:
    return reason.startswith("AOT") is (phase == "aot") and phase in _CACHE_OF_PHASE


def began(capture: Capture) -> float | None:
    """Return when a capture began: our record is written when the graph stands, torch's before."""
    if capture.time is None:
        return None
    return capture.time - (capture.seconds.capture or 0.0 if capture.step is not None else 0.0)


def timeline(run: Run) -> Timeline | None:
    """Return the lanes of all processes; None if nothing in the run has a time."""
    rows = sum(len(process.backwards) for process in run.processes if process.backwards)
    every = max(1, -(-rows // MAX_BACKWARDS))
    found = [(process, [*spans(process), *background_spans(process)]) for process in run.processes]
    starts = [span.start for _, listed in found for span in listed]
    ends = [span.start + span.seconds for _, listed in found for span in listed]
    for process in run.processes:
        backwards = process.backwards
        if backwards is not None and len(backwards):
            starts.append(min(backwards.start))
            ends.append(max(map(sum, zip(backwards.start, backwards.seconds, strict=True))))
    if not starts:
        return None
    zero, end = min(starts), max(ends)
    labels = process_labels(run)
    lanes = []
    kept = 0
    for process, listed in found:
        lane: dict[str, Any] = {
            "label": labels[process.index],
            "process": process.index,
            "spans": [
                {
                    "start": round(span.start - zero, 6),
                    "seconds": round(span.seconds, 6),
                    "row": "forward" if span.row == "compile" and not span.target else span.row,
                    "kind": span.kind,
                    "label": span.label,
                    "target": span.target,
                }
                for span in listed
            ],
        }
        lane.update(_columns(process.backwards, zero, every))
        kept += len(lane["start"])
        lanes.append(lane)
    return Timeline({"lanes": lanes, "seconds": round(end - zero, 6)}, rows - kept)


def _columns(backwards: Backwards | None, zero: float, every: int) -> dict[str, Any]:
    """Return columns in steps of ``unit`` seconds; with ``every`` > 1 misses and each n-th hit."""
    if backwards is None:
        return {"start": [], "seconds": [], "weight": [], "capture": [], "steps": [], "unit": 1e-6}
    kept: Sequence[int] = range(len(backwards))
    if every > 1:
        kept = [
            row for row in kept if backwards.miss[row] or backwards.failed[row] or row % every == 0
        ]
    kept = sorted(kept, key=lambda row: backwards.start[row])
    # A hundredth of a millisecond is finer than any pixel of a run with so many backwards.
    unit = 1e-6 if len(kept) < 20_000 else 1e-5
    at = [round((backwards.start[row] - zero) / unit) for row in kept]
    return {
        "unit": unit,
        "start": [one - before for one, before in zip(at, [0, *at], strict=False)],
        "seconds": [round(backwards.seconds[row] / unit) for row in kept],
        "weight": [2 if backwards.failed[row] else int(backwards.miss[row]) for row in kept],
        "capture": [backwards.capture[row] for row in kept],
        "steps": [backwards.steps[row] for row in kept],
    }


def _captured(compiled: Compile) -> bool:
    return compiled.capture is not None
