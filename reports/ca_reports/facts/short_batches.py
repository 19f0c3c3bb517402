"""Recognises a short last batch among changes of sizes: fewer samples, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.facts.size_changes import distinct_values
from ca_reports.run.loaders import is_of_another
from ca_reports.run.model import Capture

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ca_reports.facts.events import CaptureFacts
    from ca_reports.facts.size_changes import SizeChange
    from ca_reports.run.loaders import RecordedLoader


def short_batches(
    changes: Sequence[SizeChange],
    captures: Sequence[CaptureFacts],
    steps: Iterable[tuple[int, int]],
) -> tuple[SizeChange, ...]:
    """Return the changes that come of a short last batch; none if there is none.

    One smaller number of samples, for one step at a time. ``captures`` are all of the process,
    whose data say how many samples there were, ``steps`` its backwards as (step, capture). Where
    the program's own data are known, lengths may change in other steps.
    """
    found = [change for change in changes if change.batch_like]
    if len(found) < len(changes) and not all(change.own for change in changes):
        return ()
    if not found:
        return ()
    full, short = found[0].main
    if short >= full or len(distinct_values(found)) != 2:
        return ()
    if is_of_another(_loaders(found[0]), full, short):
        return ()
    first = found[0].step
    if first is None:
        return tuple(found) if len(found) > 1 else ()
    back = [
        *(change.step for change in found if change.main[1] > change.main[0]),
        *_seen_with(captures, found[0], steps),
    ]
    later = min((step for step in back if step is not None and step > first), default=None)
    if later is not None:
        return tuple(found) if _lasted_one_step(found, later, steps) else ()
    # Sizes that are dynamic by then make no event when the full batch comes back.
    last = max((step for step, _ in steps), default=None)
    is_last = len(found) > 1 or first == last or fits_loader(found[0])
    return tuple(found) if is_last else ()


def fits_loader(change: SizeChange) -> bool:
    """Return whether a loader that was seen at ``change`` has whole batches and a last one of that.

    The same share of both may have been seen: rows of a view, or the pieces of a batch.
    """
    full, short = change.main
    return any(
        full * loader.short_batch == short * loader.batch_size
        and (full % loader.batch_size == 0 or loader.batch_size % full == 0)
        for loader in _loaders(change)
        if loader.batch_size and loader.short_batch and full
    )


def _loaders(change: SizeChange) -> tuple[RecordedLoader, ...]:
    """Return the loaders that a variable of the callers held at ``change``."""
    event = change.events[0]
    held = event if isinstance(event, Capture) else event.held
    return () if held is None else held.loaders


def _seen_with(
    captures: Sequence[CaptureFacts], change: SizeChange, steps: Iterable[tuple[int, int]]
) -> list[int]:
    """Return the steps in which what ``change`` names had its first size, as far as captures tell.

    A graph that was captured with it before anything changed hits with no other.
    """
    own = next((size for size in change.own if size.pair == change.main), None)
    if own is None:
        return []
    full = {
        found.capture.id: found.capture.step
        for found in captures
        if found.capture.data.get(own.variable, ())[own.dimension : own.dimension + 1]
        == own.pair[:1]
    }
    first = change.step or 0
    static = {id for id, step in full.items() if step is not None and step < first}
    captured = [step for step in full.values() if step is not None]
    return [*captured, *(step for step, ran in steps if ran in static)]


def _lasted_one_step(
    changes: Sequence[SizeChange], back: int, steps: Iterable[tuple[int, int]]
) -> bool:
    """Return whether the full size came back before the short batch's graph ran again.

    Others may have run meanwhile: with gradients of another set, of a second loss. Where a step has
    several backwards, the first may have been recompiled for the batch and the next captured.
    """
    captured = (
        event for change in changes for event in change.events if isinstance(event, Capture)
    )
    first = next(captured, None)
    if first is None or first.step is None or first.step >= back:
        return back == (changes[0].step or 0) + 1
    return not any(first.step < step < back and ran == first.id for step, ran in steps)
