"""Functions that Dynamo compiled because of a graph break, beside the one that was called.

After a break Dynamo compiles what is left of the function as one of its own, a resume function,
and what is left of each function that called it while it was traced. They are found by name: it
holds the function and the line of the break (``torch_dynamo_resume_in_step_at_12``).

The functions between the compiled one and the break are called from Python then, instead of being
a part of the graph, and each is compiled by itself. They are those of the break's stack. What these
call in turn cannot be told from another function called in that line of the user's.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ca_reports.model import Compile, EventKey, GraphBreak, Process

_Place = tuple[str, str, int]


def resumed_after(process: Process) -> Mapping[EventKey, tuple[Compile, ...]]:
    """For each break of a forward, by key, the compiles of functions that it made.

    Recompiles of resume functions are among them. A function that several breaks may have made
    (another break at that line, or below that call) is counted for the first of them.
    """
    inner = _called_from_python(process)
    owners: dict[_Place, GraphBreak] = {}
    for found in process.graph_breaks:
        if not found.in_backward:
            for frame in found.stack or (() if found.location is None else (found.location,)):
                owners.setdefault((frame.file, frame.function, frame.line), found)
    rest: dict[EventKey, list[Compile]] = defaultdict(list)
    for compiled in process.compiles:
        place = compiled.resumes
        if compiled.capture is not None:
            continue
        if place is not None:
            owner = owners.get((place.file, place.function, place.line))
        elif compiled.code is not None and not compiled.is_recompile:
            owner = inner.get((compiled.code.file, compiled.code.function))
        else:
            owner = None
        if owner is not None:
            rest[owner.key].append(compiled)
    return {key: tuple(found) for key, found in rest.items()}


def codes_begun_as(process: Process) -> Mapping[str, str]:
    """Dynamo's number of what is left of a function after a break → that of the function.

    Of a function that several codes have (a method of two classes) nothing is known.
    """
    codes: dict[tuple[str, str], set[str]] = defaultdict(set)
    rest: dict[str, tuple[str, str]] = {}
    for compiled in process.compiles:
        if compiled.capture is not None or compiled.code is None:
            continue
        number = compiled.compile_id.rpartition("/")[0]
        place = (compiled.code.file, compiled.code.function)
        if compiled.resumes is None:
            codes[place].add(number)
        else:
            rest[number] = place
    return {
        number: next(iter(codes[place])) for number, place in rest.items() if len(codes[place]) == 1
    }


def _called_from_python(process: Process) -> dict[tuple[str, str], GraphBreak]:
    """Functions that would have been traced but for a break in them, and that break."""
    codes = {compiled.compile_id: compiled.code for compiled in process.compiles}
    found: dict[tuple[str, str], GraphBreak] = {}
    for broken in process.graph_breaks:
        code = codes.get(broken.compile_id or "")
        if broken.in_backward or code is None:
            continue
        places = [(frame.file, frame.function) for frame in broken.stack]
        compiled = (code.file, code.function)
        if compiled in places:
            for place in places[places.index(compiled) + 1 :]:
                if place != compiled:
                    found.setdefault(place, broken)
    return found
