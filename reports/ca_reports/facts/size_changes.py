"""Which sizes changed in a process, when, and in what pattern.

The sizes of a backward are known where something happened: at a capture (its changes), and
where a guard on a size or stride failed. A hit with other sizes leaves no trace, so what is
said here holds for the events only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ca_reports.facts.values import Pair, value_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_engine.guards import Guard
    from ca_reports.facts.events import CaptureFacts, RecompileFacts
    from ca_reports.model import Capture, Change, Compile

# `2 <= inputs[1].size()[0]`, `inputs[1].size()[0] == 1`, `sizes[0].size()[1] != 1`; where there
# is an upper bound as well (the code compares the size with a number) that may have failed.
_ZERO_ONE = re.compile(
    r"\b2 <= [^<]*\b(?:size\(\)|sizes?)[^<]*$|\b(?:size\(\)|sizes?)\S* [!=]= [01]\b"
)


@dataclass(frozen=True)
class SizeChange:
    """One change of sizes and the events that it made necessary.

    ``pairs`` are all (before, after) that were seen; ``main`` is the one to name.
    ``dimension`` is the dimension of ``main``, None if unknown. ``batch_like``: nothing but
    first dimensions changed. ``what`` says whose size it is. ``step`` is the backward's.
    """

    events: tuple[Capture | Compile, ...]
    pairs: frozenset[Pair]
    main: Pair
    dimension: int | None
    batch_like: bool
    what: str
    step: int | None
    fact: CaptureFacts | RecompileFacts


def size_changes(
    recaptures: Sequence[CaptureFacts], recompiles: Sequence[RecompileFacts]
) -> tuple[SizeChange, ...]:
    """All changes of sizes in a process, in the order in which they happened."""
    found = [*_of_recompiles(recaptures, recompiles)]
    explained = {id(event) for change in found for event in change.events}
    for recapture in recaptures:
        if id(recapture.capture) not in explained:
            change = _of_capture(recapture)
            if change is not None:
                found.append(change)
    return tuple(sorted(found, key=_time))


def is_zero_one_guard(guard: Guard) -> bool:
    """A guard by which Dynamo keeps 0 and 1 apart from the other sizes.

    ``2 <= …`` was compiled for more; a size that is 0 or 1 also comes as an int where a
    greater one is a tensor (``unwrap_maybe_dynamic_int``), hence the guards on a type.
    """
    if guard.kind == "size":
        return guard.expected in ("0", "1") or guard.actual in ("0", "1")
    if guard.kind == "type":
        return guard.source.startswith("sizes[")
    return bool(_ZERO_ONE.search(guard.text))


def is_layout_guard(guard: Guard, pairs: frozenset[Pair]) -> bool:
    """A guard on a stride that failed though no size changed.

    A size that grows takes the strides before it along, by the same factor; ``pairs`` are
    the changes of sizes that are known. A permutation or a strided view puts a stride of 1
    elsewhere, or multiplies it.
    """
    if guard.kind != "stride" or guard.expected is None or guard.actual is None:
        return False
    before, after = int(guard.expected), int(guard.actual)
    if any(before * new == after * old for old, new in pairs if old and new):
        return False
    if 1 in (before, after) or 0 in (before, after):
        return True
    return before % after == 0 or after % before == 0


def _of_capture(recapture: CaptureFacts) -> SizeChange | None:
    capture = recapture.capture
    found = [(pair, change) for change in recapture.changes for pair in value_pairs(change)]
    shapes = {id(change) for _, change in found}
    others = [
        change
        for change in recapture.changes
        if id(change) not in shapes and change.attribute != "aot_id"
    ]
    if not found or (others and capture.kind != "changed_shapes"):
        return None
    with_dimension = [(pair, change) for pair, change in found if pair[0] is not None]
    later = [entry for entry in with_dimension if _is_length(entry[1])]
    dimension, main = (later or with_dimension or found)[0][0]
    owner = (later or with_dimension or found)[0][1].name.rsplit("::", 1)[-1]
    return SizeChange(
        events=(capture,),
        pairs=frozenset(pair for (_, pair), _ in found),
        main=main,
        dimension=dimension,
        batch_like=bool(with_dimension) and not later,
        what=f"a size of {owner}",
        step=capture.step,
        fact=recapture,
    )


def _is_length(change: Change) -> bool:
    """Whether another dimension than the first changed while the first did not."""
    dimensions = {dimension for dimension, _ in value_pairs(change)}
    return bool(dimensions - {0, None}) and 0 not in dimensions


def _of_recompiles(
    recaptures: Sequence[CaptureFacts], recompiles: Sequence[RecompileFacts]
) -> Iterator[SizeChange]:
    known = frozenset(
        (int(recompile.guard.expected or 0), int(recompile.guard.actual or 0))
        for recompile in recompiles
        if recompile.guard.kind == "size"
    ) | frozenset(
        pair
        for recapture in recaptures
        for change in recapture.changes
        for _, pair in value_pairs(change)
    )
    for recompile in recompiles:
        guard = recompile.guard
        if guard.expected is None or guard.actual is None:
            continue
        if guard.kind == "stride" and is_layout_guard(guard, known):
            continue
        if guard.kind not in ("size", "stride"):
            continue
        pair = (int(guard.expected), int(guard.actual))
        lifted = guard.source.startswith("sizes[")
        dimension = None if lifted or guard.kind == "stride" else guard.index
        caused = tuple(
            found.capture for found in recompile.caused if _fits(found, recompile.compiled)
        )
        yield SizeChange(
            events=(recompile.compiled, *caused),
            pairs=frozenset({pair}),
            main=pair,
            dimension=dimension,
            batch_like=dimension in (0, None),
            what=f"`{guard.source}`" if not lifted else "an input size",
            step=recompile.step,
            fact=recompile,
        )


def _fits(recapture: CaptureFacts, compiled: Compile) -> bool:
    """Whether nothing speaks against a capture being the consequence of a forward compile."""
    return recapture.aot_replaced or compiled.fail_type is not None or not recapture.changes


def _time(change: SizeChange) -> tuple[float, int]:
    first = change.events[0]
    return (first.time if first.time is not None else 0.0, change.step or 0)


def distinct_values(changes: Sequence[SizeChange]) -> list[int]:
    """The values one size took, in the order in which they came, as far as they are known.

    Sizes that change together (a batch, and the batch times the length) are one: a change by
    a factor that was seen before, or back, brings no new value.
    """
    values: list[int] = []
    seen: set[Pair] = set()
    for change in changes:
        before, after = change.main
        if not values:
            values += [before, after]
        elif after not in values and not any(
            before * new == after * old or before * old == after * new for old, new in seen
        ):
            values.append(after)
        seen |= change.pairs
    return list(dict.fromkeys(values))
