"""The traceback of an exception that came out of a compile, as a text holds it."""

from __future__ import annotations

from itertools import islice, takewhile

from ca_engine.tracebacks import (
    COMPILERS_ERRORS,
    TextFrame,
    exception,
    frames_in,
    is_compilers_file,
    split,
)
from ca_reports.logs.fields import message
from ca_reports.program.stack import in_torch, is_generated, is_library_file, user_function
from ca_reports.run.frames import frame
from ca_reports.run.model import Failure

_MAX_FRAMES = 500
_ENGINE_CALL = "_engine_run_backward"


def failure(traceback: str, file: str, line: int) -> Failure:
    """Return the exception of a traceback, which stands in ``file`` at ``line``."""
    stack, raised = split(traceback)
    frames = list(islice(frames_in(stack), _MAX_FRAMES))
    kind, said = exception(raised)
    users = [one for one in takewhile(_is_outside_of_compiles, frames) if _is_users(one)]
    caller = users[-1] if users else None
    of_compile = raised.startswith(COMPILERS_ERRORS) or any(map(_is_of_compile, frames))
    return Failure(
        stage="compile" if of_compile else "graph",
        text=message(f"{kind or 'error'}: {said}") or "",
        seen="a traceback ends with",
        file=file,
        line=line,
        called_from=caller
        and frame(caller.file, caller.line, user_function(caller.function), caller.code),
        in_backward=any(one.function == _ENGINE_CALL for one in frames),
    )


def _is_of_compile(found: TextFrame) -> bool:
    return is_compilers_file(found.file.replace("\\", "/").rpartition("/torch/")[2])


def _is_outside_of_compiles(found: TextFrame) -> bool:
    """Return whether a frame is none of what a backward leads through first: engine, capture."""
    is_dynamos = in_torch(found.file) and "/_dynamo/" in found.file.replace("\\", "/")
    return not is_dynamos and found.function != _ENGINE_CALL


def _is_users(found: TextFrame) -> bool:
    return not (is_generated(found.file) or is_library_file(found.file))
