"""Functions that Dynamo compiled because of a graph break, beside the one that was called.

After a break Dynamo compiles what is left of the function as one of its own, a resume function,
and what is left of each function that called it while it was traced. They are found by name: it
holds the function and the line of the break (``torch_dynamo_resume_in_step_at_12``).

The functions between the compiled one and the break are called from Python then, instead of being
a part of the graph, and each is compiled by itself. They are those of the break's stack, and those
that are called where a resume function goes on. Where Dynamo leaves a whole function to Python (the
break is in a loop), they are all that the function calls.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ca_reports.run.model import Compile, EventKey, Frame, GraphBreak, Process

_Place = tuple[str, str, int]
_LeftOut: TypeAlias = "Mapping[_Place, tuple[_Place, ...]]"


def resumed_after(process: Process) -> Mapping[EventKey, tuple[Compile, ...]]:
    """For each break of a forward, by key, the compiles of functions that it made.

    Recompiles of these are among them. A function that several breaks may have made
    (another break at that line, or below that call) is counted for the first of them.
    """
    left_out = _left_out(process)
    owners = _owners(process, left_out)
    inner = _called_from_python(process, left_out)
    left = _left_to_python(process)
    entered: set[EventKey] = set()
    first: dict[int, GraphBreak] = {}
    rest: dict[EventKey, list[Compile]] = defaultdict(list)
    apart: dict[int, GraphBreak] = {}
    for compiled in process.compiles:
        if compiled.capture is not None:
            continue
        owner = None
        if compiled.resumes is not None:
            owner = owners.get(_place(compiled.resumes))
        elif compiled.has_failed_guards:
            owner = apart.get(compiled.function)
            if owner is None and _is_of_gradients(compiled):
                owner = first.get(compiled.function)
        elif compiled.code is not None:
            # Its own frame is the last of the stack; those before it called it.
            callers = (owners.get(_place(frame)) for frame in reversed(compiled.stack[:-1]))
            owner = inner.get((compiled.code.file, compiled.code.function)) or next(
                filter(None, callers), None
            )
            if owner is None and (owner := _around(compiled, left)) is not None:
                # One compile there would be without the break, too: of the function itself.
                if owner.key in entered:
                    rest[owner.key].append(compiled)
                else:
                    first.setdefault(compiled.function, owner)
                entered.add(owner.key)
                continue
        if owner is not None:
            rest[owner.key].append(compiled)
            if compiled.resumes is None:
                apart.setdefault(compiled.function, owner)
    return {key: tuple(found) for key, found in rest.items()}


def _owners(process: Process, left_out: _LeftOut) -> Mapping[_Place, GraphBreak]:
    """Return the break that each resume function comes of, by the place where it goes on.

    It is a frame of the break's stack, or one that torch has left out of that (`_left_out`): then
    also that of the latest compile before, of this function, in which a break was met.
    """
    named: dict[_Place, GraphBreak] = {}
    met: dict[tuple[str, str], dict[int, GraphBreak]] = defaultdict(dict)
    compiles = {compiled.compile_id: compiled for compiled in process.compiles}
    for found in process.graph_breaks:
        if found.in_backward:
            continue
        for frame in found.stack or (() if found.location is None else (found.location,)):
            for place in (_place(frame), *left_out.get(_place(frame), ())):
                named.setdefault(place, found)
        broken = compiles.get(found.compile_id or "")
        if broken is not None and broken.code is not None:
            code = (broken.code.file, broken.code.function)
            met[code].setdefault(broken.function, found)
    owners: dict[_Place, GraphBreak] = {}
    for compiled in process.compiles:
        if compiled.capture is not None or compiled.resumes is None:
            continue
        place = _place(compiled.resumes)
        before = met.get(place[:2], {})
        numbers = [number for number in before if number < compiled.function]
        owner = named.get(place) or (before[max(numbers)] if numbers else None)
        if owner is not None:
            owners.setdefault(place, owner)
    return owners


def _left_out(process: Process) -> _LeftOut:
    """Return each frame → those before it that have its name, outer ones first.

    Of frames that follow each other and have one name (``forward`` of a module in a module), the
    stack of a break has only the last; the stacks of what is compiled since have all of them.
    """
    found: dict[_Place, tuple[_Place, ...]] = {}
    for compiled in process.compiles:
        before: list[_Place] = []
        for frame in compiled.stack:
            place = _place(frame)
            if before and before[-1][1] != place[1]:
                before.clear()
            if before and place not in before:
                found.setdefault(place, tuple(before))
            before.append(place)
    return found


def _place(frame: Frame) -> _Place:
    return frame.file, frame.function, frame.line


def codes_begun_as(process: Process) -> Mapping[str, str]:
    """Dynamo's number of what is left of a function after a break → that of the function.

    Of a name that several functions of a file have (a method of two classes), it is the one that
    begins last before the line where the rest goes on.
    """
    begin: dict[tuple[str, str], dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    rest: dict[str, Frame] = {}
    for compiled in process.compiles:
        if compiled.capture is not None or compiled.code is None:
            continue
        number, code = compiled.compile_id.rpartition("/")[0], compiled.code
        if compiled.resumes is None:
            begin[code.file, code.function][code.line].add(number)
        else:
            rest[number] = code
    found = {}
    for number, code in rest.items():
        known = begin.get((code.file, code.function), {})
        lines = [line for line in known if line <= code.line] or list(known)
        last = known[max(lines)] if lines else set()
        if len(last) == 1:
            (found[number],) = last
    return found


def _left_to_python(process: Process) -> dict[tuple[str, str], GraphBreak]:
    """Return the compiled functions that run in Python since a break in them."""
    codes = {compiled.compile_id: compiled.code for compiled in process.compiles}
    found: dict[tuple[str, str], GraphBreak] = {}
    for broken in process.graph_breaks:
        code = codes.get(broken.compile_id or "")
        if broken.given_up and not broken.in_backward and code is not None:
            found.setdefault((code.file, code.function), broken)
    return found


def _around(compiled: Compile, left: Mapping[tuple[str, str], GraphBreak]) -> GraphBreak | None:
    """Return the break that left to Python what called ``compiled``: of several, the innermost."""
    if not left or compiled.has_failed_guards:
        return None
    callers = (left.get((frame.file, frame.function)) for frame in reversed(compiled.stack[:-1]))
    return next(filter(None, callers), None)


def _is_of_gradients(compiled: Compile) -> bool:
    """Return whether it is recompiled because an argument asks for a gradient that none asked for.

    The first of several layers gets the data, the others what it made of them; a graph of all has
    no such guard. Other sizes come from outside of them.
    """
    failed = compiled.failed_guards
    return bool(failed) and all(guard.kind == "requires_grad" for guard in failed)


def _called_from_python(process: Process, left_out: _LeftOut) -> dict[tuple[str, str], GraphBreak]:
    """Map functions that would have been traced but for a break in them to that break."""
    codes = {compiled.compile_id: compiled.code for compiled in process.compiles}
    found: dict[tuple[str, str], GraphBreak] = {}
    for broken in process.graph_breaks:
        code = codes.get(broken.compile_id or "")
        if broken.in_backward or code is None:
            continue
        places = [
            place[:2]
            for frame in broken.stack
            for place in (*left_out.get(_place(frame), ()), _place(frame))
        ]
        compiled = (code.file, code.function)
        if compiled in places:
            for place in places[places.index(compiled) + 1 :]:
                if place != compiled:
                    found.setdefault(place, broken)
    return found
