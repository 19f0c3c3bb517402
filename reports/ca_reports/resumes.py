"""What Dynamo compiled because of a graph break: the rest of each function that it was met in.

After a break Dynamo compiles what is left of the function as one of its own, a resume function,
and what is left of each function that called it while it was traced. They are found by name: it
holds the function and the line of the break (``torch_dynamo_resume_in_step_at_12``).
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ca_reports.model import Compile, EventKey, GraphBreak, Process

_Place = tuple[str, str, int]


def resumed_after(process: Process) -> Mapping[EventKey, tuple[Compile, ...]]:
    """For each break of a forward, by key, the compiles of resume functions that are its own.

    Recompiles of these functions are among them. A function that several breaks may have made
    (another break at that line, or below that call) is counted for the first of them.
    """
    owners: dict[_Place, GraphBreak] = {}
    for found in process.graph_breaks:
        if not found.in_backward:
            for frame in found.stack or (() if found.location is None else (found.location,)):
                owners.setdefault((frame.file, frame.function, frame.line), found)
    rest: dict[EventKey, list[Compile]] = defaultdict(list)
    for compiled in process.compiles:
        place = compiled.resumes
        if place is None or compiled.capture is not None:
            continue
        owner = owners.get((place.file, place.function, place.line))
        if owner is not None:
            rest[owner.key].append(compiled)
    return {key: tuple(found) for key, found in rest.items()}
