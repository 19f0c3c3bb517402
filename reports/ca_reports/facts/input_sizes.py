"""The sizes of a forward's inputs that made Dynamo recompile it, each dimension for itself.

For processes in which no backward was captured; where one was, a size changes the forward and the
backward at once (``size_changes``).

Torch's reason names the first dimension that differs from each earlier compile; a batch that is
both shorter and smaller fails one guard. The sizes that each compile was made for tell the others:
those of its graph's inputs, which torch writes, and of the frame's arguments at a recompile, which
we do. A dimension that is dynamic fails no guard, so what sizes came later is known only from the
arguments noted at other recompiles.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.facts.guard_paths import guard_path
from ca_reports.facts.guarded_things import compiled_line
from ca_reports.facts.shapes import given_shape, guarded_shape
from ca_reports.program.stack import own_frame
from ca_reports.run.loaders import is_of_another

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ca_reports.facts.events import RecompileFacts
    from ca_reports.facts.evidence import SizeKind
    from ca_reports.run.model import Compile, Frame

# An argument and its dimension; whether it was an evaluation's.
_Key = tuple[str, int, bool]
# Stands for lists whose elements differ in one dimension: those of one place are one cause.
_LISTS = "lists of tensors"
# Earlier compiles that a recompile is compared with.
_EARLIER = 64
_MANY_DIMENSIONS = 64


@dataclass(frozen=True)
class InputSize:
    """Dimensions of one argument that vary together, whose sizes made these recompiles.

    The parts of a function that graph breaks make of it, and the functions of a library below one
    call of the user's, are recompiled for the same sizes and belong together. ``values`` are, for
    each of its ``dimensions``, the sizes in the order in which they were seen; ``also_seen`` holds
    those of its other compiles, such as an evaluation's. ``recompiles`` are never empty. Of these
    ``own`` were made for this size, the others for another dimension that differed as well.
    ``is_dynamic_now``: any size would do by the end.
    ``other_call`` is the user's line that called the function, if it is another than that of the
    compile whose guard failed. ``of_list`` is the argument that has them as elements of different
    sizes: boxes of each image; empty for others. ``counted`` are those that its first dimension had
    in all calls, where these were counted. ``continues`` is what was None before, such as what the
    first call of a model keeps for the next ones; empty if nothing was.
    """

    recompiles: tuple[RecompileFacts, ...]
    own: tuple[RecompileFacts, ...]
    source: str
    dimensions: tuple[int, ...]
    values: tuple[tuple[int, ...], ...]
    also_seen: tuple[int, ...]
    is_dynamic_now: bool
    other_call: Frame | None
    of_list: str
    counted: frozenset[int] = frozenset()
    continues: str = ""

    @property
    def identity(self) -> tuple[object, ...]:
        """Return what tells it from others of a process: its first compile, and whose it is."""
        return (self.first.compiled.key, self.source, self.dimensions)

    @property
    def is_inherent(self) -> bool:
        """Return whether every program of its kind has its one compile.

        That in which its dimensions become dynamic, or the second of two phases.
        """
        if self.is_of_zero_or_one:
            return self.is_second_phase
        is_other = self.is_short_batch or self.is_of_another_call or bool(self.of_list)
        return self.is_dynamic_now and not is_other

    @property
    def is_of_zero_or_one(self) -> bool:
        """Return whether it cost one compile because a size of 0 or 1 has a graph of its own.

        Where sizes become dynamic at their second value, a first one of 1 costs no more than any,
        nor does one of 1 that comes after two others.
        """
        is_automatic = self.first.compiled.settings.sizes != "dynamic"
        is_known = len(self.values[0]) > 2 or self.values[0][0] < 2
        is_free = self.is_dynamic_now and is_automatic and is_known
        return self._had_zero_or_one and not self.is_short_batch and not is_free

    @property
    def _had_zero_or_one(self) -> bool:
        """Return whether one dimension had two sizes, of which dynamic shapes do not serve one."""
        is_one = len(self.dimensions) == 1 and len(self.own) == 1 and not self.of_list
        return is_one and min(self.values[0], default=2) < 2

    @property
    def is_second_phase(self) -> bool:
        """Return whether another line calls with a size of 1, after longer ones: it generates.

        Or the same line, with what the call before gave. A text is read at once, and then one token
        after another. A first call with one row, which only warms up, is none.
        """
        is_another = self.other_call is not None or bool(self.continues)
        return self.is_of_zero_or_one and is_another and self.values[0][0] > 1

    @property
    def size_kind(self) -> SizeKind:
        """Say why it cost compiles, which decides what helps."""
        if self.of_list:
            return "of_list"
        if self._had_zero_or_one:
            return "second_phase" if self.is_second_phase else "zero_or_one"
        if self.is_dynamic_now:
            return "became_dynamic"
        is_static = any(found.compiled.settings.sizes == "static" for found in self.own)
        return "turned_off" if is_static else "varies"

    @property
    def is_of_another_call(self) -> bool:
        """Return whether it came with another call, of other batches, lengths: no short batch."""
        return self.other_call is not None and len(self.dimensions) > 1 and 0 in self.dimensions

    @property
    def is_told_by_reasons(self) -> bool:
        """Return whether torch's reasons alone tell its sizes, and no compile its whole shape.

        A reason names the first dimension that differs: others may vary with it.
        """
        shapes = (given_shape(found.compiled, self.source) for found in self.recompiles)
        return all(shape is None for shape in shapes)

    @property
    def first(self) -> RecompileFacts:
        """Return the first of them."""
        return self.recompiles[0]

    @property
    def largest(self) -> int:
        """Return the greatest size that was seen, evaluations included."""
        return max((*(size for values in self.values for size in values), *self.also_seen))

    @property
    def is_short_batch(self) -> bool:
        """Return whether the first dimension had two sizes, the smaller one second.

        In the calls that cost no compile, too: those of an evaluation's batches apart. A size of 1
        beside another input that keeps the batch is broadcast, and so it may be in a log that has
        no other inputs. Nor is it another loader's whole batch.
        """
        (values, *more) = self.values
        others = self.counted.difference(values, self.also_seen)
        if self.of_list or len(others) > _OF_EVALUATIONS:
            return False
        if self.dimensions != (0,) or more or len(values) != 2 or values[1] >= values[0]:
            return False
        every = (found.compiled.held for found in self.own)
        if is_of_another((one for held in every if held for one in held.loaders), *values):
            return False
        return values[1] > 1 or not any(_is_broadcast(one, values[0]) for one in self.own)

    @property
    def sizes_besides(self) -> tuple[int, ...]:
        """Return sizes that would cost the compile of a short batch if that were left out.

        An evaluation's last batch, whose whole ones are as large as those of the training. Where
        they are not, its own first compile is for any size, whatever comes later.
        """
        full, *_ = self.values[0]
        if not self.is_short_batch or any(size != full for size in self.also_seen):
            return ()
        return tuple(sorted(self.counted.difference(self.values[0], (1,)), reverse=True))


def _is_broadcast(recompile: RecompileFacts, full: int) -> bool:
    """Return whether another input had the whole batch in that call, or none of them is known."""
    compiled = recompile.compiled
    held = () if compiled.held is None else compiled.held.arguments
    shapes = [one.shape for _, one in held if one.shape]
    return not (shapes or compiled.inputs) or any(shape[0] == full for shape in shapes)


@dataclass(frozen=True)
class _Dimension:
    """One dimension of one argument of one code; ``own`` and ``all`` are its recompiles.

    An evaluation has its own batches, and its own compile for any size.
    """

    code: str
    is_of_evaluation: bool
    source: str
    index: int
    own: tuple[RecompileFacts, ...]
    all: tuple[RecompileFacts, ...]
    values: tuple[int, ...]
    also_seen: tuple[int, ...]
    is_dynamic_now: bool
    other_call: Frame | None
    of_list: str


# The sizes of an evaluation's batches: whole ones, and the last.
_OF_EVALUATIONS = 2
# Dimensions of one argument that are one change, in order.
_Change = tuple[_Dimension, ...]


def input_sizes(
    recompiles: Iterable[RecompileFacts],
    compiles: Iterable[Compile],
) -> tuple[InputSize, ...]:
    """Return all dimensions for which user code was recompiled, in the order of the first time.

    ``compiles`` are all of the process, the first ones too.
    """
    by_code: dict[str, list[RecompileFacts]] = {}
    for recompile in recompiles:
        by_code.setdefault(recompile.compiled.code_number, []).append(recompile)
    of_code: dict[str, list[Compile]] = {}
    for compiled in compiles:
        if compiled.code_number in by_code:
            of_code.setdefault(compiled.code_number, []).append(compiled)
    changes = [
        change
        for code, group in by_code.items()
        for change in _changes(_dimensions(code, group, of_code.get(code, [])))
    ]
    together: dict[tuple[object, ...], list[_Change]] = {}
    for change in sorted(changes, key=lambda change: _is_kept(change[0].source)):
        line = compiled_line(change[0].all[0].compiled)
        place = None if line is None else (line.file, line.function)
        firsts = tuple(found.values[:2] for found in change)
        key: tuple[object, ...] = (
            place,
            change[0].index == 0,
            change[0].is_of_evaluation,
            firsts,
        )
        if change[0].of_list:
            key = (place, _LISTS, change[0].index, change[0].is_of_evaluation)
        elif _is_kept(change[0].source):
            key = next(
                (known for known, parts in together.items() if _is_made_of(change, parts[0])), key
            )
        together.setdefault(key, []).append(change)
    return tuple(_joined(parts) for parts in together.values())


def _is_kept(source: str) -> bool:
    """Return whether a size is of an attribute of the function's own object."""
    return guard_path(source).is_of_self


def _is_made_of(kept: _Change, given: _Change) -> bool:
    """Return whether an attribute's sizes follow an argument's: a mask, a table of positions.

    It begins as long as that, and is never longer: what is longer grows by itself, as a cache does.
    """
    own, others = kept[0].values, (*given[0].values, *given[0].also_seen)
    return (
        kept[0].code == given[0].code
        and not _is_kept(given[0].source)
        and own[:1] == given[0].values[:1]
        and max(own, default=0) <= max(others, default=0)
    )


def _changes(dimensions: Iterable[_Dimension]) -> Iterable[_Change]:
    """Take the dimensions beside the first for one change: a crop's, or pieces' at two borders.

    The first too where another call made them, in the same compiles.
    """
    of_source: dict[tuple[str, bool], list[_Dimension]] = {}
    for found in dimensions:
        of_source.setdefault((found.source, found.is_of_evaluation), []).append(found)
    for found in chain.from_iterable(of_source.values()):
        own = {one.compiled.key for one in found.all}
        others = [
            other
            for other in of_source[found.source, found.is_of_evaluation][:_MANY_DIMENSIONS]
            if (found.index and other.index)
            or (
                (found.other_call or other.other_call)
                and any(one.compiled.key in own for one in other.all)
            )
        ]
        if not others:
            yield (found,)
        elif others[0] is found:
            yield tuple(sorted(others, key=lambda other: other.index))


def _joined(changes: Sequence[_Change]) -> InputSize:
    """Return one change as all functions met it; the first of them has the names."""
    parts = [found for change in changes for found in change]
    recompiles = {found.compiled.key: found for part in parts for found in part.all}
    own = {found.compiled.key: found for part in parts for found in part.own}
    values = tuple(found.values for found in changes[0])
    if parts[0].of_list:
        values = (tuple(dict.fromkeys(size for part in parts for size in part.values)),)
    return InputSize(
        recompiles=tuple(sorted(recompiles.values(), key=_line)),
        own=tuple(sorted(own.values(), key=_line)),
        source=parts[0].source,
        dimensions=tuple(found.index for found in changes[0]),
        values=values,
        also_seen=tuple(size for part in parts for size in part.also_seen),
        is_dynamic_now=all(part.is_dynamic_now for part in parts),
        other_call=parts[0].other_call,
        of_list=parts[0].of_list,
    )


def _lists(compiles: Iterable[Compile]) -> frozenset[tuple[str, int]]:
    """Return arguments that are lists of tensors alike but for one dimension, with that dimension.

    Boxes of each image; not inputs and labels, which have one size, nor nodes and edges.
    """
    found: set[tuple[str, int]] = set()
    for compiled in compiles:
        lists: dict[str, list[tuple[int | None, ...]]] = {}
        for name, held in () if compiled.held is None else compiled.held.arguments:
            path = guard_path(name)
            if path.element is not None and held.shape is not None:
                lists.setdefault(path.root, []).append(held.shape)
        for name, shapes in lists.items():
            first = shapes[0]
            for other in shapes[1:]:
                if len(other) == len(first):
                    differ = [at for at, size in enumerate(other) if size != first[at]]
                    found.update((name, at) for at in differ if len(differ) == 1)
    return frozenset(found)


def _list_of(source: str, index: int, lists: frozenset[tuple[str, int]]) -> str:
    path = guard_path(source)
    return path.root if path.element is not None and (path.root, index) in lists else ""


def _line(recompile: RecompileFacts) -> int:
    return recompile.compiled.line or 0


def _dimensions(
    code: str, recompiles: Sequence[RecompileFacts], compiles: Sequence[Compile]
) -> Iterable[_Dimension]:
    """Yield which dimensions of which arguments differed, of one code."""
    by_id = {compiled.compile_id: compiled for compiled in compiles}
    own: dict[_Key, list[RecompileFacts]] = {}
    every: dict[_Key, list[RecompileFacts]] = {}
    for recompile in recompiles:
        guard = recompile.guard
        if guard.kind != "size" or guard_path(guard.source).is_parameter:
            continue
        told = guard.index
        if told is None or guard.expected is None or guard.actual is None:
            continue
        differing = _differing(recompile, by_id) or (told,)
        main = told if told in differing else differing[0]
        mode = recompile.compiled.is_of_evaluation
        own.setdefault((guard.source, main, mode), []).append(recompile)
        for index in differing:
            every.setdefault((guard.source, index, mode), []).append(recompile)
    variants = set(by_id) - {found.compiled.compile_id for found in recompiles}
    lists = _lists(compiles)
    # A log with more than that is no program's: of each only its own compiles are looked at.
    is_sane = len(every) <= _MANY_DIMENSIONS
    for (source, index, mode), group in every.items():
        seen: list[int] = []
        others: list[int] = []
        failed = {found.compiled.key: found.guard for found in group}
        dynamic = None
        for compiled in compiles if is_sane else [found.compiled for found in group]:
            named = failed.get(compiled.key)
            if named is not None and named.index == index:
                seen += [int(named.expected or 0), int(named.actual or 0)]
            size = _at(given_shape(compiled, source), index)
            if size is not None:
                is_variant = compiled.has_failed_guards and compiled.compile_id in variants
                is_other = is_variant or compiled.is_of_evaluation is not mode
                (others if is_other else seen).append(size)
            guarded = guarded_shape(compiled, source)
            if compiled.is_of_evaluation is not mode:
                continue
            if guarded is not None and index < len(guarded):
                # A later compile for one size of it leaves the one for any size.
                dynamic = guarded[index] is None or bool(dynamic)
        yield _Dimension(
            code,
            mode,
            source,
            index,
            own=tuple(own.get((source, index, mode), ())),
            all=tuple(group),
            values=tuple(dict.fromkeys(seen)),
            also_seen=tuple(dict.fromkeys(others)),
            is_dynamic_now=_is_only(group) if dynamic is None else dynamic,
            other_call=_other_call(group, by_id),
            of_list=_list_of(source, index, lists),
        )


def _is_only(recompiles: Sequence[RecompileFacts]) -> bool:
    """Return whether there is one recompile, and nothing kept it from being compiled."""
    return len(recompiles) == 1 and recompiles[0].compiled.fail_reason is None


def _other_call(recompiles: Sequence[RecompileFacts], by_id: Mapping[str, Compile]) -> Frame | None:
    """Return the user's line that called the function, if every earlier compile had another."""
    known = []
    for found in recompiles:
        earlier = by_id.get(found.guard.failed or "")
        here, before = _call(found.compiled), None if earlier is None else _call(earlier)
        if here is None or before is None or (here.file, here.line) == (before.file, before.line):
            return None
        known.append(here)
    return known[0] if known else None


def _call(compiled: Compile) -> Frame | None:
    """Return the user's line that called what is compiled."""
    own = compiled.location
    if own is None:
        return None
    called = (own.file, own.function)
    return own_frame([each for each in compiled.stack if (each.file, each.function) != called])


def _differing(recompile: RecompileFacts, by_id: Mapping[str, Compile]) -> tuple[int, ...]:
    """Return dimensions in which a recompile's argument differs from the closest earlier compile's.

    Of equally close ones the one that differs in what torch names. Empty if they are not known.
    """
    named = recompile.guard
    actual = given_shape(recompile.compiled, named.source)
    best: tuple[int, ...] = ()
    for guard in recompile.guards[:_EARLIER]:
        earlier = by_id.get(guard.failed or "")
        expected = None if earlier is None else guarded_shape(earlier, named.source)
        if expected is None or actual is None or len(expected) != len(actual):
            continue
        differs = tuple(
            index
            for index, (before, after) in enumerate(zip(expected, actual, strict=True))
            # A size that is not known by then became dynamic, because it differed.
            if before is not None and before != after
        )
        closer = (len(differs), named.index not in differs) < (len(best), named.index not in best)
        if differs and (closer or not best):
            best = differs
    return best


def _at(shape: tuple[int | None, ...] | None, index: int) -> int | None:
    return shape[index] if shape and index < len(shape) else None
