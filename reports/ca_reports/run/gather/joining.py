"""Joins what several files say of one process.

A job's stderr and its trace, a log that was rotated or copied: the same process in more
than one file must not be counted more than once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from ca_engine.lazy_classes import dataclass
from ca_reports.run.gather.collector import gc_paused
from ca_reports.run.model import Capture, Compile, GraphBreak, Process

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from ca_reports.logs.damage import DamageLog

_Owned = TypeVar("_Owned", Capture, Compile, GraphBreak)


@dataclass(frozen=True, slots=True)
class Joined:
    """The processes of a run, and those that only helped them (``Run.helpers``)."""

    processes: tuple[Process, ...]
    helpers: tuple[Process, ...]


@gc_paused()
def join(processes: Sequence[Process], damage: DamageLog) -> Joined:
    """Put together what belongs together, and number the processes from 0 by rank.

    Processes that have a rank come first, in its order; the others keep theirs; helpers
    are numbered on from there.
    """
    found: list[Process] = []
    at: dict[tuple[int | None, ...], list[int]] = {}
    # Texts last: a trace knows more, so the text is put into it.
    for process in sorted(processes, key=lambda process: process.from_text):
        if process.pid is None:
            found.append(process)
            continue
        for index in at.get((process.pid,), ()):
            joined = _joined(found[index], process, damage)
            if joined is not None:
                found[index] = joined
                break
        else:
            at.setdefault((process.pid,), []).append(len(found))
            found.append(process)
    found.sort(key=lambda process: (process.rank is None, process.rank or 0))
    busy = {process.rank for process in found if not process.idle}
    helps = [_helps(process, busy) for process in found]
    working = [process for process, helper in zip(found, helps, strict=True) if not helper]
    helping = [process for process, helper in zip(found, helps, strict=True) if helper]
    return Joined(
        tuple(_numbered(process, index) for index, process in enumerate(working)),
        tuple(_numbered(process, index) for index, process in enumerate(helping, len(working))),
    )


def _helps(process: Process, busy: Collection[int | None]) -> bool:
    """Return whether an idle process is none of the job's own: others are ``busy``, by rank.

    A data loader's worker inherits its rank in the environment or from the fork, so a rank
    is a helper's if another process of that rank works. One that is the only of its rank is
    the rank itself, which did nothing: worth telling.
    """
    ours = process.recorded or process.end is not None
    return ours and process.idle and bool(busy) and (process.rank is None or process.rank in busy)


def _joined(first: Process, second: Process, damage: DamageLog) -> Process | None:
    """Return both as one; None if they are two."""
    if first.rank != second.rank and first.rank is not None and second.rank is not None:
        return None
    if second.from_text:
        if second.file == first.file:
            return None  # one process after the other had this pid
        # Texts of one pid, or a text and a trace: only another host could make them two,
        # and then their captures would go different ways.
        return _with_text(first, second) if _agree(first, second) else None
    if first.recorded and second.recorded:
        same = (first.start, first.host) == (second.start, second.host)
    else:
        same = bool(first.compiles) and [
            (compiled.compile_id, compiled.seconds) for compiled in first.compiles
        ] == [(compiled.compile_id, compiled.seconds) for compiled in second.compiles]
    if not same:
        return None
    if second.file == first.file:
        return None
    fuller, other = (first, second) if first.records >= second.records else (second, first)
    damage.add(other.file, 0, "duplicate", f"the same process as in {fuller.file}; counted once")
    return fuller


def _agree(first: Process, second: Process) -> bool:
    """Return whether no capture that both name has two reasons."""
    reasons = {capture.id: capture.reason for capture in first.captures}
    return all(
        capture.reason == reasons[capture.id]
        for capture in second.captures
        if capture.reason is not None and reasons.get(capture.id) is not None
    )


def _with_text(first: Process, text: Process) -> Process:
    captures = {capture.id: capture for capture in first.captures}
    for capture in text.captures:
        captures[capture.id] = _fuller(captures.get(capture.id), capture)
    compiles = {compiled.compile_id: compiled for compiled in first.compiles}
    for compiled in text.compiles:
        known = compiles.setdefault(compiled.compile_id, compiled)
        if known.recompile_reason is None and compiled.recompile_reason is not None:
            compiles[compiled.compile_id] = replace(
                known, recompile_reason=compiled.recompile_reason
            )
    breaks = {found.cause: found for found in first.graph_breaks}
    places = {found.location for found in first.graph_breaks}
    for found in text.graph_breaks:
        # A warning tells of the first of its kind, in fewer words than the record of a break.
        if "graph_breaks" in text.holds or found.location not in places:
            breaks.setdefault(found.cause, found)
    return replace(
        first,
        rank=first.rank if first.rank is not None else text.rank,
        records=first.records + text.records,
        holds=first.holds | text.holds,
        captures=tuple(captures[id] for id in sorted(captures)),
        compiles=tuple(compiles.values()),
        graph_breaks=tuple(breaks.values()),
        raised=(*first.raised, *text.raised),
    )


def _fuller(first: Capture | None, text: Capture) -> Capture:
    if first is None:
        return text
    if first.reason is not None or text.reason is None:
        return first
    return replace(first, **text.why())


def _numbered(process: Process, index: int) -> Process:
    """Give ``process`` the run's number ``index``, with rank and pid, in all that is its own."""
    rank, pid = process.rank, process.pid
    captures: Iterable[Capture] = process.captures
    compiles: Iterable[Compile] = process.compiles
    if any((found.process, found.rank, found.pid) != (index, rank, pid) for found in captures):
        captures = [replace(found, process=index, rank=rank, pid=pid) for found in captures]
    if any((found.process, found.rank, found.pid) != (index, rank, pid) for found in compiles):
        compiles = [replace(found, process=index, rank=rank, pid=pid) for found in compiles]
    breaks = tuple(
        found if found.process == index else replace(found, process=index)
        for found in process.graph_breaks
    )
    return replace(
        process,
        index=index,
        captures=tuple(captures),
        compiles=tuple(compiles),
        graph_breaks=breaks,
        cuda_graphs=tuple(replace(found, process=index) for found in process.cuda_graphs),
    )
