"""Says what torch was doing when an exception was raised: compiling, capturing, or neither."""

from __future__ import annotations

from collections.abc import Iterator
from types import FrameType

from ca_engine import schema
from ca_engine.compat import raised
from ca_engine.recorder.stack import is_users, was_raised_by_engine

MAX_TEXT = 2_000
# An exception that is raised because of another one, and so on: as many are looked at.
_MAX_CAUSES = 8
# In every text with which torch's C++ refuses to capture a backward.
_NAMED_IN_REFUSALS = "compiled autograd"


def describe_error(error: BaseException) -> str:
    """Type and text, cut to `MAX_TEXT` characters."""
    return f"{type(error).__name__}: {error}"[:MAX_TEXT]


def is_refusal(error: BaseException) -> bool:
    """Return whether autograd's engine raised ``error`` because it cannot capture a backward."""
    return was_raised_by_engine(error) and _NAMED_IN_REFUSALS in str(error).lower()


def origin(error: BaseException) -> tuple[schema.ErrorOrigin, BaseException]:
    """Return where ``error`` came from, and the exception of its chain that came from there.

    A program may raise one of its own where it catches that of a compile: what caused an exception
    is looked at after it.
    """
    for one in _chain(error):
        found = _origin(one)
        if found != "program":
            return found, one
    return "program", error


def origin_in_captured_graph(error: BaseException) -> schema.ErrorOrigin:
    """Return the same of what a captured graph raised: ``graph`` if no code of the program's did.

    The traceback begins in the call of the graph, whose own code need not be in Python.
    """
    if _is_of_compile(error):
        return "compile"
    return "program" if any(map(is_users, _frames(error))) else "graph"


def _origin(error: BaseException) -> schema.ErrorOrigin:
    if _is_of_compile(error):
        return "compile"
    if is_refusal(error):
        return "capture"
    found: schema.ErrorOrigin = "program"
    for frame in _frames(error):
        if raised.is_generated_code(frame.f_code):
            found = "graph"
        elif is_users(frame):
            found = "program"  # a hook, or what else a graph calls
    return found


def _is_of_compile(error: BaseException) -> bool:
    return raised.is_compilers_error(error) or any(
        raised.is_compilers_code(frame.f_code) for frame in _frames(error)
    )


def _frames(error: BaseException) -> Iterator[FrameType]:
    traceback = error.__traceback__
    while traceback is not None:
        yield traceback.tb_frame
        traceback = traceback.tb_next


def _chain(error: BaseException) -> Iterator[BaseException]:
    one: BaseException | None = error
    for _ in range(_MAX_CAUSES):
        if one is None:
            return
        yield one
        one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)
