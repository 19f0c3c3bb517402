"""The run as a trace that https://ui.perfetto.dev and chrome://tracing open.

The format is Chrome's JSON trace events: complete slices (``ph`` ``X``) and metadata
(``M``), times in microseconds. Slices of one thread must nest, so backwards, captures,
compiles and findings have a thread each; phases lie within their compile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from ca_engine.version import __version__
from ca_reports.output.format import Format
from ca_reports.output.timeline import background_spans, began, spans
from ca_reports.sentences.captures import what_changed
from ca_reports.sentences.places import shown_place
from ca_reports.sentences.processes import process_labels
from ca_reports.words.clean import json_safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ca_reports.causes.findings import Diagnosis
    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.run.model import Capture, Process

_THREADS = {"backwards": 1, "captures": 2, "compiles": 3, "findings": 4}
_THREAD_OF_ROW = {"capture": "captures", "compile": "compiles", "phase": "compiles"}
_MICRO = 1e6


def render(analysis: Analysis) -> str:
    """Return the trace as JSON. Equal runs give equal text."""
    run = analysis.run
    labels = process_labels(run)
    events: list[dict[str, Any]] = []
    for process, label in zip(run.processes, labels, strict=True):
        events += _names(process, label)
        events += _nested(_backwards(process))
        events += _nested(_spans(process))
        events += _beside(process)
        events += _nested(_findings(process, analysis.diagnosis))
    trace = {
        "otherData": {"generator": f"ca {__version__}"},
        "displayTimeUnit": "ms",
        "traceEvents": events,
    }
    return json_safe(orjson.dumps(trace).decode())


def _names(process: Process, label: str) -> Iterator[dict[str, Any]]:
    yield _event(process, "backwards", "process_name", "M", args={"name": label})
    for thread in _THREADS:
        yield _event(process, thread, "thread_name", "M", args={"name": thread})


def _backwards(process: Process) -> Iterator[dict[str, Any]]:
    rows = process.backwards
    if rows is None:
        return
    for row in range(len(rows)):
        word = "failed" if rows.failed[row] else "miss" if rows.miss[row] else "hit"
        yield _slice(
            process,
            "backwards",
            word,
            rows.start[row],
            rows.seconds[row],
            {"step": rows.steps[row], "capture": f"!{rows.capture[row]}"},
        )


def _spans(process: Process) -> Iterator[dict[str, Any]]:
    captures = {f"capture-{capture.process}-{capture.id}": capture for capture in process.captures}
    for span in spans(process):
        capture = captures.get(span.target)
        args = {}
        if capture is not None and span.row == "capture":
            args = {"kind": capture.kind, "what changed": what_changed(capture)}
            if capture.backward_call is not None:
                args["backward call"] = shown_place(capture.backward_call)
        name = span.label if span.row == "phase" else f"{span.row} {span.label}"
        yield _slice(process, _THREAD_OF_ROW[span.row], name, span.start, span.seconds, args)


def _beside(process: Process) -> Iterator[dict[str, Any]]:
    """Yield graphs that were compiled in the background: each in a row, for they overlap."""
    for number, span in enumerate(background_spans(process)):
        for phase, time in (("b", span.start), ("e", span.start + span.seconds)):
            event = _event(process, "compiles", f"in the background {span.label}", phase, {})
            yield {**event, "cat": "background", "id": number, "ts": round(time * _MICRO)}


def _findings(process: Process, diagnosis: Diagnosis) -> Iterator[dict[str, Any]]:
    """Yield a slice over each capture that a finding explains, by the first finding that does."""
    seen: set[str] = set()
    by_label = {capture.label: capture for capture in process.captures}
    for finding in diagnosis.findings:
        if finding.processes and process.index not in finding.processes:
            continue
        for label in finding.captures:
            capture = by_label.get(label)
            start = began(capture) if capture is not None else None
            if capture is None or start is None or label in seen:
                continue
            seen.add(label)
            yield _slice(
                process,
                "findings",
                f"{finding.code} {finding.name}",
                start,
                _seconds(capture),
                {"message": finding.message, "fix": finding.fix, "capture": label},
            )


def _seconds(capture: Capture) -> float:
    # Not the compile's, too: another capture may begin before its graph is compiled.
    return capture.seconds.capture or 0.0


def _slice(
    process: Process, thread: str, name: str, start: float, seconds: float, args: dict[str, Any]
) -> dict[str, Any]:
    event = _event(process, thread, name, "X", args)
    # Whole microseconds: of a time since 1970 a float holds no more than quarters of one.
    event["ts"] = round(start * _MICRO)
    event["dur"] = round(seconds * _MICRO)
    return event


def _nested(slices: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the slices of each thread so that they nest: the importers drop one that does not.

    Starts and durations come from different clocks, so that neighbours overlap by some
    microseconds. The shorter of what laps over is cut: the end of the first slice, or of
    the second where it lies mostly within the first.
    """
    found = sorted(slices, key=lambda event: (event["tid"], event["ts"], -event["dur"]))
    opened: list[dict[str, Any]] = []
    for event in found:
        if opened and opened[-1]["tid"] != event["tid"]:
            opened.clear()
        start = event["ts"]
        while opened:
            last = opened[-1]
            within = last["ts"] + last["dur"] - start
            beyond = event["dur"] - within
            if within > 0 and beyond <= 0:
                break
            if within > 0 and beyond > within:
                last["dur"] = start - last["ts"]
            elif within > 0:
                event["dur"] = within
                break
            opened.pop()
        opened.append(event)
    return found


def _event(
    process: Process, thread: str, name: str, phase: str, args: dict[str, Any]
) -> dict[str, Any]:
    # Not the process id: two hosts may both have it. 0 is the idle process to Perfetto.
    return {
        "name": name,
        "ph": phase,
        "pid": process.index + 1,
        "tid": _THREADS[thread],
        "cat": thread,
        "args": args,
    }


FORMAT = Format(
    name="perfetto",
    suffix=".json",
    help="a trace that ui.perfetto.dev opens",
    page=render,
)
