"""Finds the sizes that changed in a process, when, and in what pattern.

The sizes of a backward are known where something happened: at a capture (its changes), and
where a guard on a size or stride failed. A hit with other sizes leaves no trace, so what is
said here holds for the events only.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_reports.facts.events import ACCUMULATE_GRAD
from ca_reports.facts.guard_paths import guard_path
from ca_reports.facts.own_sizes import OwnSize, own_sizes
from ca_reports.facts.shape_numbers import Pair, Ratios, value_pairs
from ca_reports.words.values import operation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ca_engine.guards import Guard
    from ca_reports.facts.events import CaptureFacts, RecompileFacts
    from ca_reports.run.model import Capture, Change, Compile

# `2 <= inputs[1].size()[0]`, `inputs[1].size()[0] == 1`, `sizes[0].size()[1] != 1`; where there
# is an upper bound as well (the code compares the size with a number) that may have failed. What a
# program calls `sizes` (`len(hooks[1].func.__self__.sizes['bias']) == 1`) is an attribute, and
# `size == 1` is an argument of that name: no size. A captured graph has a list of its own, `sizes`.
_A_SIZE = r"(?:\bsize\(\)|(?<![.\w])sizes(?:'\])?(?=[\[.]))"
_ZERO_ONE = expression(
    rf"\b2 <= [^<]{{0,400}}?{_A_SIZE}[^<]{{0,400}}$|{_A_SIZE}\S{{0,200}} [!=]= [01](?![.\w])"
)


@dataclass(frozen=True)
class SizeChange:
    """One change of sizes and the events that it made necessary.

    ``pairs`` are all (before, after) that were seen, ``own`` those of the program's own data, if
    they are known. ``main`` is the one to name, of the program's data where possible.
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
    own: tuple[OwnSize, ...] = ()

    @property
    def identity(self) -> tuple[object, ...]:
        """Return what tells it from other changes of a process: its events and its pair."""
        return (*(event.key for event in self.events), self.main)

    @property
    def variable(self) -> tuple[str, tuple[int, ...]]:
        """Name the variable whose size ``main`` is, and its dimension; empty if unknown."""
        found = next((size for size in self.own if size.pair == self.main), None)
        return ("", ()) if found is None else (found.variable, (found.dimension,))


# Nodes that come and go with the layout of a tensor: where a view will not do, a copy is made.
LAYOUT_NODES = frozenset(
    (
        "ViewBackward0",
        "UnsafeViewBackward0",
        "ReshapeAliasBackward0",
        "CloneBackward0",
        "AsStridedBackward0",
        "AsStridedBackward1",
        "ToCopyBackward0",
    )
)


def size_changes(
    recaptures: Sequence[CaptureFacts],
    recompiles: Sequence[RecompileFacts],
    *,
    dynamic: bool = False,
) -> tuple[SizeChange, ...]:
    """Return all changes of sizes in a process, in the order in which they happened.

    With ``dynamic``, which the program asked for, none is looked for behind other changes.
    """
    found = [*_of_recompiles(recompiles)]
    explained = {event.key for change in found for event in change.events}
    for recapture in recaptures:
        if recapture.capture.key not in explained:
            change = _of_capture(recapture)
            if change is not None:
                found.append(change)
    if not found and not dynamic:
        found += islice(filter(None, map(_behind_another, recaptures)), 1)
    return tuple(sorted(found, key=_time))


def is_of_size(_: CaptureFacts, change: Change) -> bool:
    """Return whether sizes are what differs between two captures' nodes."""
    return bool(value_pairs(change))


def is_of_layout(change: Change) -> bool:
    """Return whether strides differ, or a view or a copy came or went, which these decide about."""
    return change.attribute.endswith("strides") or (
        change.attribute == "node" and {change.before, change.after} - {None} <= LAYOUT_NODES
    )


def is_size_of_one(recapture: CaptureFacts) -> bool:
    """Return whether a size became 1, or was: then any stride of that dimension will do.

    A view is possible of what had to be copied: no layout was changed.
    """
    return any(1 in pair for change in recapture.changes for _, pair in value_pairs(change))


def is_zero_one_guard(guard: Guard) -> bool:
    """Return a guard by which Dynamo keeps 0 and 1 apart from the other sizes.

    ``2 <= …`` was compiled for more; a size that is 0 or 1 also comes as an int where a
    greater one is a tensor (``unwrap_maybe_dynamic_int``), hence the guards on a type. Sizes of
    parameters are never dynamic.
    """
    if guard.kind == "size" and guard_path(guard.source).is_parameter:
        return False
    if guard.kind == "size":
        return guard.expected in ("0", "1") or guard.actual in ("0", "1")
    if guard.kind == "type":
        return guard_path(guard.source).lifted is not None
    return bool(_ZERO_ONE.search(guard.text))


def _of_capture(recapture: CaptureFacts) -> SizeChange | None:
    capture = recapture.capture
    pairs_of = [(change, value_pairs(change)) for change in recapture.changes]
    found = [(pair, change) for change, own in pairs_of for pair in own]
    is_one = is_size_of_one(recapture)
    others = [
        change
        for change, own in pairs_of
        if not own and change.attribute != "aot_id" and not (is_one and is_of_layout(change))
    ]
    if not found or (others and capture.kind != "changed_shapes"):
        return None
    pairs = frozenset(pair for (_, pair), _ in found)
    closest = recapture.closest
    own = own_sizes(closest.capture.data, capture.data, pairs) if closest is not None else ()
    if own:
        return _of_own(own, (capture,), pairs, capture.step, recapture)
    if all(change.name == ACCUMULATE_GRAD for _, change in found):
        return None  # of no data: these are other parameters
    with_dimension = [(pair, change) for pair, change in found if pair[0] is not None]
    later = [entry for entry in with_dimension if _is_length(entry[1])]
    dimension, main = (later or with_dimension or found)[0][0]
    owner = operation((later or with_dimension or found)[0][1].name)
    return SizeChange(
        events=(capture,),
        pairs=pairs,
        main=main,
        dimension=dimension,
        batch_like=bool(with_dimension) and not later,
        what=f"a size in `{owner}`",
        step=capture.step,
        fact=recapture,
    )


def _behind_another(recapture: CaptureFacts) -> SizeChange | None:
    """Find the sizes of the program's data that changed along with something else.

    Torch compares sizes among captures of equal nodes and values. Where a number differs each time,
    sizes are never compared: they need a capture of their own once the number is mended, the first
    time that they change. Other nodes may be there for data of another kind, which is no change.
    """
    others = [change for change in recapture.changes if not value_pairs(change)]
    are_values = all(
        change.index is not None and change.attribute not in ("node", "outputs")
        for change in others
    )
    closest = recapture.closest
    if closest is None or not are_values or recapture.added or recapture.removed:
        return None
    pairs = frozenset(pair for change in recapture.changes for _, pair in value_pairs(change))
    capture = recapture.capture
    own = own_sizes(closest.capture.data, capture.data, pairs)
    return _of_own(own, (capture,), pairs, capture.step, recapture) if own else None


def _of_own(
    own: tuple[OwnSize, ...],
    events: tuple[Capture | Compile, ...],
    pairs: frozenset[Pair],
    step: int | None,
    fact: CaptureFacts | RecompileFacts,
) -> SizeChange:
    """Return a change that the program's own data explain: a length before a number of samples."""
    main = next((size for size in own if size.dimension), own[0])
    return SizeChange(
        events=events,
        pairs=pairs,
        main=main.pair,
        dimension=main.dimension,
        batch_like=not main.dimension,
        what=f"`{main.variable}`",
        step=step,
        fact=fact,
        own=own,
    )


def _is_length(change: Change) -> bool:
    """Return whether another dimension than the first changed while the first did not."""
    dimensions = {dimension for dimension, _ in value_pairs(change)}
    return bool(dimensions - {0, None}) and 0 not in dimensions


def _of_recompiles(recompiles: Sequence[RecompileFacts]) -> Iterator[SizeChange]:
    data: dict[int, Mapping[str, tuple[int, ...]]] = {}
    for recompile in recompiles:
        guard = recompile.guard
        of_graph, held = recompile.capture, recompile.compiled.held
        before: Mapping[str, tuple[int, ...]] = {}
        after: Mapping[str, tuple[int, ...]] = held.data if held is not None else {}
        if of_graph is not None:
            before = data.get(of_graph.capture.id, of_graph.capture.data)
            data[of_graph.capture.id] = after
        if guard.expected is None or guard.actual is None:
            continue
        if guard.kind != "size" or recompile.path.is_parameter:
            # Of a stride torch tells where all sizes are those that were compiled for; a parameter
            # of another size is that of another module.
            continue
        pair = (int(guard.expected), int(guard.actual))
        caused = tuple(
            found.capture for found in recompile.caused if _fits(found, recompile.compiled)
        )
        events: tuple[Capture | Compile, ...] = (recompile.compiled, *caused)
        lifted = guard_path(guard.source).lifted is not None
        dimension = None if lifted else guard.index
        own = own_sizes(before, after, (pair,))
        if own:
            yield _of_own(own, events, frozenset({pair}), recompile.step, recompile)
            continue
        if of_graph is None and dimension is not None:
            own = (OwnSize(guard.source, dimension, pair),)
        yield SizeChange(
            events=events,
            pairs=frozenset({pair}),
            main=pair,
            dimension=dimension,
            batch_like=dimension in (0, None),
            what=f"`{guard.source}`" if not lifted else "an input size",
            step=recompile.step,
            fact=recompile,
            own=own,
        )


def _fits(recapture: CaptureFacts, compiled: Compile) -> bool:
    """Return whether a capture may be the consequence of a forward compile."""
    if recapture.is_other_backward:
        return False
    return recapture.aot_replaced or compiled.fail_type is not None or not recapture.changes


def _time(change: SizeChange) -> tuple[float, int]:
    first = change.events[0]
    return (first.time if first.time is not None else 0.0, change.step or 0)


def distinct_values(changes: Sequence[SizeChange]) -> list[int]:
    """Return the values one size took, in the order in which they came, as far as they are known.

    Of the program's own data, where any is known: one dimension of one variable, and what another
    had in its place. Else sizes that change together (a batch, and the batch times the length)
    are one: a change by a factor that was seen before, or back, brings no new value.
    """
    own = [change for change in changes if change.own]
    if own:
        return _own_values(own)
    values: dict[int, None] = {}
    seen = Ratios()
    for change in changes:
        before, after = change.main
        if not values:
            values.update({before: None, after: None})
        elif (before, after) not in seen and (after, before) not in seen:
            values[after] = None
        seen.add(change.pairs)
    return list(values)


def _own_values(changes: Sequence[SizeChange]) -> list[int]:
    first = next((change for change in changes if change.dimension), changes[0])
    main = next(size for size in first.own if size.pair == first.main)
    values: dict[int, None] = {}
    for change in changes:
        alike = [size for size in change.own if size.dimension == main.dimension]
        alike.sort(key=lambda size: (size.variable != main.variable, size.pair[0] not in values))
        if alike and (alike[0].variable == main.variable or alike[0].pair[0] in values):
            values.update(dict.fromkeys(alike[0].pair))
    return list(values) or list(main.pair)
