"""Exceptions that came out of a compile, a capture or a compiled graph: the one place that knows.

Several records tell of one exception: the metrics of the compile, the backward that it ended, the
end of the process. It is recognised by its type and text, which are the same in each but for where
they are cut.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ca_engine.tracebacks import frames_in
from ca_reports.logs.fields import uncut
from ca_reports.program.stack import (
    in_torch,
    is_generated,
    is_library_file,
    own_frame,
    user_function,
)
from ca_reports.run.frames import frame
from ca_reports.run.model import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.run.model import (
        Capture,
        Compile,
        End,
        Frame,
        Hazard,
        Outcome,
        Process,
        Run,
        Stage,
    )

# The surest first.
_STAGES: tuple[Stage, ...] = ("compile", "capture", "graph", "program")
# What Dynamo raises where a compile failed with an exception of any other class.
_REWRAPPED = "InternalTorchDynamoError: "
# The file that Dynamo names for a line of a captured graph.
_GRAPH = "<eval_with_key>"
_USER_CODE = "\nfrom user code:"
# More exceptions with texts of their own are counted with the last one.
_MOST = 200


def failures(process: Process, run: Run) -> tuple[Failure, ...]:
    """Return the exceptions that are known of a process, each once.

    Those in which no compile has a part are of the stage "program".
    """
    found: list[Failure] = []
    for seen in _seen(process):
        at = next((at for at, one in enumerate(found) if _is_same(one.text, seen.text)), None)
        if at is None and len(found) < _MOST:
            found.append(seen)
        else:
            at = len(found) - 1 if at is None else at
            found[at] = _joined(found[at], seen)
    return tuple(
        replace(one, process=process.index, number=number, outcome=_outcome(one, process, run))
        for number, one in enumerate(found)
    )


def of_compiles(every: tuple[Failure, ...]) -> tuple[Failure, ...]:
    """Leave out those in which no compile has a part, and the user's Ctrl-C."""
    return tuple(one for one in every if one.stage != "program" and not one.is_interruption)


def is_of_tracing(error: str) -> bool:
    """Return whether Dynamo raised ``error`` while it traced a captured graph."""
    return _USER_CODE in error and _GRAPH in error


def _seen(process: Process) -> Iterator[Failure]:
    """Yield each exception wherever it was seen; one that is not kept is tried again."""
    for capture in process.captures:
        if capture.error:
            yield _of_capture(capture)
    for hazard in process.hazards:
        if hazard.kind == "backward_failed" and hazard.error:
            yield _of_backward(hazard, hazard.error)
    for compiled in process.compiles:
        if compiled.failed is not None and not compiled.internal:
            yield _of_compile(compiled, process)
    for raised in process.raised:
        yield replace(raised, location=raised.location or _line_in(raised.text))
    end = process.end
    if end is not None and end.error_text:
        yield _of_end(end, process)


def _of_capture(capture: Capture) -> Failure:
    text = capture.error or ""
    return Failure(
        stage="capture",
        text=text,
        seen=f"{capture.label} failed",
        file=capture.file,
        line=capture.line,
        capture=capture.id,
        location=capture.backward_call,
        called_from=capture.backward_call,
        captures=(capture,),
    )


def _of_backward(hazard: Hazard, text: str) -> Failure:
    stage = hazard.error_origin or ("compile" if is_of_tracing(text) else "program")
    return Failure(
        stage=stage,
        text=text,
        seen=f"backward {hazard.step} failed",
        file=hazard.file,
        line=hazard.line,
        capture=hazard.capture,
        location=hazard.backward_call,
        called_from=hazard.backward_call,
        in_backward=True,
        count=hazard.count,
    )


def _of_compile(compiled: Compile, process: Process) -> Failure:
    text = f"{compiled.fail_type or 'error'}: {compiled.fail_reason or ''}"
    in_backward = compiled.capture is not None or compiled.failed == "in_backward"
    line = compiled.fail_line or _line_in(text)
    called_from = compiled.location if compiled.capture is not None else _caller(compiled)
    return Failure(
        stage="compile",
        text=text,
        seen=f"{compiled.compile_id} failed",
        file=process.file,
        line=compiled.line,
        capture=compiled.capture,
        compile_id=compiled.compile_id,
        function=None if compiled.code is None else compiled.code.function,
        location=line or compiled.location,
        called_from=called_from,
        in_backward=in_backward,
        suppressed=compiled.failed == "suppressed",
    )


def _of_end(end: End, process: Process) -> Failure:
    text = end.error_cause or end.error_text or ""
    users = [one for one in end.error_stack if not in_torch(one.file)]
    # The code of a compiled graph is run by the function that was compiled.
    outer = users[:-1] if end.error_origin == "graph" and users[1:] else users
    stage = end.error_origin or "program"
    # Autograd's engine raised it, as where a saved tensor was changed in place: no code of the
    # program's ran below the call of a backward that is captured.
    is_of_backward = stage == "program" and bool(users) and _is_captured(users[-1], process)
    return Failure(
        stage="graph" if is_of_backward else stage,
        in_backward=is_of_backward,
        text=text,
        seen="the process ended with",
        file=process.file,
        location=_line_in(text) or (users[-1] if users else None),
        called_from=outer[-1] if outer else None,
        ended=True,
    )


def _is_captured(line: Frame, process: Process) -> bool:
    """Return whether the backwards that a line calls were captured."""
    calls = (capture.backward_call for capture in process.captures)
    return any(one is not None and (one.file, one.line) == (line.file, line.line) for one in calls)


def _caller(compiled: Compile) -> Frame | None:
    """Return the user's line that called what was compiled; torch's stack ends in that itself."""
    code = compiled.code
    outside = [
        one
        for one in compiled.stack
        if code is None or (one.file, one.function) != (code.file, code.function)
    ]
    return own_frame(outside)


def _line_in(text: str) -> Frame | None:
    """Return the user's line in the frames that torch quotes in an exception's text."""
    last = None
    for found in frames_in(text):
        if not (is_generated(found.file) or is_library_file(found.file)):
            last = frame(found.file, found.line, user_function(found.function), found.code)
    return last


def _is_same(one: str, other: str) -> bool:
    """Return whether two texts are of one exception: a cut one begins the whole one."""
    one, other = (uncut(text.removeprefix(_REWRAPPED)) for text in (one, other))
    return one.startswith(other) or other.startswith(one)


def _joined(first: Failure, other: Failure) -> Failure:
    """Return what two records tell of one exception."""
    return replace(
        first,
        stage=min(first.stage, other.stage, key=_STAGES.index),
        capture=first.capture if first.capture is not None else other.capture,
        compile_id=first.compile_id or other.compile_id,
        function=first.function or other.function,
        location=first.location or other.location,
        called_from=first.called_from or other.called_from,
        in_backward=first.in_backward or other.in_backward,
        suppressed=first.suppressed and other.suppressed,
        ended=first.ended or other.ended,
        captures=(*first.captures, *other.captures),
        count=first.count if other.ended else _counted(first, other),
    )


def _counted(first: Failure, other: Failure) -> int:
    """Return how often it was raised: a backward and the compile in it tell of one exception."""
    is_same_event = first.compile_id is None or other.compile_id is None
    return max(first.count, other.count) if is_same_event else first.count + other.count


def _outcome(found: Failure, process: Process, run: Run) -> Outcome:
    end = process.end
    if found.ended:
        return "ended"
    if found.suppressed:
        return "suppressed"
    if end is None:
        return "unknown"
    # A program may print what it catches and end by itself, with another exit code.
    is_unclear = end.error is None and any(one.exit_code for one in run.recorded)
    return "unknown" if is_unclear else "caught"
