"""Dynamo's compiles when their records have come in: where each was, who called it, whose it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.program.stack import in_torch
from ca_reports.run.model import own_frame

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ca_reports.run.model import Compile, Frame


def built(
    found: Iterable[Compile], process: int, rank: int | None, pid: int | None
) -> tuple[Compile, ...]:
    """Return copies of the compiles of a process as they stand.

    ``found`` grow with the log: their ``code`` and ``stack`` are what the records say, and they
    have no place and no process yet.
    """
    compiles = [
        replace(
            one, process=process, rank=rank, pid=pid, location=_location(one), stack=_callers(one)
        )
        for one in found
    ]
    # A compile that Dynamo gave up has no stack and names no function, nor where that goes on after
    # a break: these are those of the others of its code.
    internal = {one.function for one in compiles if one.internal}
    places = {(one.capture, one.function): one for one in compiles if one.location is not None}
    codes = {(one.capture, one.function): one.code for one in compiles if one.code is not None}
    resumes = {(one.capture, one.function): one.resumes for one in compiles if one.resumes}
    for one in compiles:
        known = places.get((one.capture, one.function)) if one.location is None else None
        if known is not None:
            one.location, one.code = known.location, known.code
        one.code = one.code or codes.get((one.capture, one.function))
        one.resumes = one.resumes or resumes.get((one.capture, one.function))
        one.internal |= one.capture is None and one.function in internal
    return tuple(compiles)


def _location(compiled: Compile) -> Frame | None:
    called_from = own_frame(compiled.stack)
    if compiled.capture is not None:
        return called_from
    # A model whose hooks torch calls is compiled through a function of torch's.
    if compiled.code is not None and not in_torch(compiled.code.file):
        return compiled.code
    # Torch leaves out the innermost caller, which is the user's for what is no module.
    caller = None if compiled.held is None else own_frame(compiled.held.stack)
    if caller is None or (
        called_from and (called_from.file, called_from.line) == (caller.file, caller.line)
    ):
        return called_from or compiled.code
    return caller


def _callers(compiled: Compile) -> tuple[Frame, ...]:
    """Return the user's frames to the compiled code; torch leaves out the one that called it."""
    held = compiled.held
    own = () if held is None or compiled.capture is not None else held.stack
    if not own:
        return compiled.stack
    code, last = compiled.code, compiled.stack[-1:]
    is_compiled = code is not None and last and last[0].file == code.file
    return (*own, *last) if is_compiled else own
