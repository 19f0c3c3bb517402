"""Finds which dimension of which argument became dynamic at which compile, and what ended it.

From the sizes of each compile's inputs, which torch writes with the symbols of dynamic ones, and
the guards that failed. Two dimensions that had the same size in every compile belong together:
measured on torch 2.13.0, `mark_dynamic` on one of them is an error where the code makes them equal.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.facts.guard_paths import guard_path
from ca_reports.program.stack import Frame
from ca_reports.run.build.inputs import without_signs

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from ca_engine.guards import Guard
    from ca_reports.run.build.inputs import Size
    from ca_reports.run.model import Compile, EventKey

# A value that a graph break left on the stack, for which the program has no name.
# What torch appends to a failed guard on a parameter, whose size stays static however it is marked.
_ON_PARAMETER = "Guard failed on a parameter"
_KINDS = frozenset(("size", "size_relation", "duck_size"))
# Of one function. A log with more is no program's.
_MAX_DIMENSIONS = 64
# Of one function the first are looked at: twice Dynamo's accumulated_recompile_limit.
_MAX_COMPILES = 512
_MAX_RESPECIALISED = 16


@dataclass(frozen=True, slots=True)
class Respecialised:
    """A compile that a size was recompiled for although it was dynamic.

    ``guard`` is the one that failed, ``line`` where the code needed it. ``is_duck``: it holds only
    because two sizes were equal when the code was compiled.
    """

    compiled: Compile
    guard: str
    line: Frame | None
    is_duck: bool


@dataclass(frozen=True, slots=True)
class DynamicDimension:
    """Dimension ``index`` of the argument ``source`` (``ids``) of one function.

    ``sizes`` are those that were seen, each once; ``became`` is the compile in which it became
    dynamic, None if it never did. ``from_start``: that was the first. ``together`` are dimensions
    of other arguments that had the same size in every compile. ``is_of_parameter``: it, or one of
    those, is a parameter's. ``names`` are those of the user's call for arguments that only their
    place is known of.
    """

    process: int
    location: Frame | None
    source: str
    index: int
    sizes: tuple[int, ...]
    became: Compile | None
    from_start: bool
    respecialised: tuple[Respecialised, ...]
    together: tuple[tuple[str, int], ...]
    is_of_parameter: bool = False
    names: Mapping[str, str] = field(default_factory=dict)

    def called(self, source: str) -> str:
        """Return the name of an argument in the user's call, where guards have none for it."""
        return self.names.get(source, source)

    @property
    def to_mark(self) -> tuple[tuple[str, int], ...]:
        """Return what to mark to make it dynamic in the first compile.

        Empty if it was, if no mark makes it so, or if the program has no name for it: what a graph
        break left on the stack. A parameter's size stays a constant of the graph, and so does 0 or
        1 if that came first.
        """
        is_constant = self.is_of_parameter or (bool(self.sizes) and self.sizes[0] < 2)
        if self.from_start or is_constant or guard_path(self.source).is_on_stack:
            return ()
        named = (one for one in self.together if not guard_path(one[0]).is_on_stack)
        return ((self.source, self.index), *named)

    @property
    def as_sources(self) -> str:
        """Return the same for ``TORCH_COMPILE_DYNAMIC_SOURCES``: ``L['ids'],L['mask']``."""
        return ",".join(dict.fromkeys(guard_path(one).in_frame for one, _ in self.to_mark))


def of_one_size(
    source: str, dimensions: Iterable[int], compiles: Iterable[Compile]
) -> Iterator[tuple[str, int]]:
    """Yield the graph's inputs whose sizes Dynamo found to be that of ``source``, with dimensions.

    In one of ``compiles``: where a size is 0 or 1, numbers stand in place of symbols. Itself, too.
    """
    for compiled in compiles:
        own = compiled.inputs.get(input_name(source), ())
        symbols = {own[at] for at in dimensions if at < len(own)}
        for name, sizes in compiled.inputs.items():
            for index, size in enumerate(sizes):
                if isinstance(size, str) and size in symbols:
                    yield name, index


def input_name(source: str) -> str:
    """Return how the graph's input for a guarded argument is called, without signs.

    Torch makes ``l_kwargs_ids_`` of ``L['kwargs']['ids']`` (``_dynamo/output_graph.py``); here
    ``lkwargsids``.
    """
    return without_signs(source if guard_path(source).is_global else f"L{source}")


def is_on_parameter(guard: Guard) -> bool:
    """Return whether torch says of a guard that failed that it is on a parameter."""
    return _ON_PARAMETER in guard.text


def stays_static(source: str, dimensions: Iterable[int], recompiles: Iterable[Compile]) -> bool:
    """Return whether recompiles for another size of ``source`` are for that size alone.

    Dynamo makes a size dynamic once it varies, where that is not turned off and the code does not
    need its number. Sizes of 0 and 1 are never made dynamic.
    """
    sizes = [
        _at(compiled.inputs.get(input_name(source)), dimension)
        for compiled in recompiles
        if compiled.is_forward
        for dimension in dimensions
    ]
    return any(isinstance(size, int) and size > 1 for size in sizes)


def dynamic_dimensions(
    compiles: Iterable[Compile],
    guards: Mapping[EventKey, Sequence[Guard]],
    uses: Collection[EventKey] = (),
) -> tuple[DynamicDimension, ...]:
    """Find the dimensions that varied or were dynamic; ``guards`` are those that failed.

    ``uses`` are the recompiles for another module that shares the code, or for another parameter:
    its sizes are its own.
    """
    functions: dict[int, list[Compile]] = {}
    for compiled in compiles:
        if compiled.is_forward and compiled.inputs:
            functions.setdefault(compiled.function, []).append(compiled)
    return tuple(
        found
        for group in functions.values()
        for found in _of_function(group[:_MAX_COMPILES], guards, uses)
    )


def _of_function(
    compiles: Sequence[Compile],
    guards: Mapping[EventKey, Sequence[Guard]],
    uses: Collection[EventKey],
) -> Iterable[DynamicDimension]:
    columns = _columns(compiles)
    names = _names(compiles, guards)
    parameters = {
        guard.source
        for compiled in compiles
        for guard in guards.get(compiled.key, ())
        if is_on_parameter(guard)
    }
    if all(compiled.held is None for compiled in compiles):
        names = {name: name.removeprefix("l") for name, _ in columns} | names
    for (name, index), column in columns.items():
        source = names.get(name)
        if source is None:
            continue  # part of an argument (`l_cache_0_1_`), which nobody can name
        is_dynamic = [isinstance(size, str) for size in column]
        became = compiles[is_dynamic.index(True)] if any(is_dynamic) else None
        sizes = _sizes(compiles, column, source, index)
        if became is None and (len(sizes) < 2 or _is_of_uses(compiles, column, uses)):
            continue
        together = tuple(
            (names[other], at)
            for (other, at), same in columns.items()
            if (other, at) != (name, index)
            and other in names
            and _are_equal(compiles, (column, source, index), (same, names[other], at))
        )
        yield DynamicDimension(
            process=compiles[0].process,
            location=compiles[0].location,
            source=source,
            index=index,
            sizes=sizes,
            became=became,
            from_start=is_dynamic[0],
            respecialised=_respecialised(compiles, guards, source, index, became),
            together=together,
            is_of_parameter=any(one in parameters for one, _ in ((source, index), *together)),
        )


def _is_of_uses(
    compiles: Sequence[Compile], column: Sequence[Size], uses: Collection[EventKey]
) -> bool:
    """Return whether each size but the first came with another module that has it."""
    seen: set[Size] = set()
    for compiled, size in zip(compiles, column, strict=True):
        if size is not None and size not in seen:
            if seen and compiled.key not in uses:
                return False
            seen.add(size)
    return True


def _columns(compiles: Sequence[Compile]) -> dict[tuple[str, int], tuple[Size, ...]]:
    """Return the sizes of each dimension, one for each compile; None where it was no input."""
    every: dict[tuple[str, int], None] = {}
    for compiled in compiles:
        for name, shape in compiled.inputs.items():
            if len(every) < _MAX_DIMENSIONS:
                every.update(dict.fromkeys((name, index) for index in range(len(shape))))
    return {
        (name, index): tuple(_at(compiled.inputs.get(name), index) for compiled in compiles)
        for name, index in every
    }


def _at(shape: tuple[Size, ...] | None, index: int) -> Size:
    return shape[index] if shape is not None and index < len(shape) else None


def _names(
    compiles: Iterable[Compile], guards: Mapping[EventKey, Sequence[Guard]]
) -> dict[str, str]:
    """Return the arguments as the program writes them, by the names of the graph's inputs."""
    found: dict[str, str] = {}
    for compiled in compiles:
        if compiled.held is not None:
            found.update((input_name(name), name) for name, _ in compiled.held.arguments)
        for guard in guards.get(compiled.key, ()):
            if guard.kind in _KINDS and guard.source:
                found.setdefault(input_name(guard.source), guard.source)
    return found


def _are_equal(
    compiles: Iterable[Compile],
    one: tuple[tuple[Size, ...], str, int],
    other: tuple[tuple[Size, ...], str, int],
) -> bool:
    """Return whether two dimensions had the same size in every compile.

    The same symbol, or different ones for the same number: torch 2.13 makes two symbols of sizes
    that became dynamic one after the other. Each is given as its sizes, source and index.
    """
    for compiled, size, same in zip(compiles, one[0], other[0], strict=True):
        if size == same:
            continue
        now = _held_size(compiled, *one[1:])
        if not (isinstance(size, str) and isinstance(same, str)) or now is None:
            return False
        if now != _held_size(compiled, *other[1:]):
            return False
    return True


def _held_size(compiled: Compile, source: str, index: int) -> int | None:
    """Return the size that an argument of the frame had when it was compiled, if it was noted."""
    held = compiled.argument(source)
    shape = None if held is None else held.shape
    return shape[index] if shape is not None and index < len(shape) else None


def _sizes(
    compiles: Iterable[Compile], column: Iterable[Size], source: str, index: int
) -> tuple[int, ...]:
    found: dict[int, None] = {}
    for compiled, size in zip(compiles, column, strict=True):
        for one in (size, _held_size(compiled, source, index)):
            if isinstance(one, int):
                found[one] = None
    return tuple(found)


def _respecialised(
    compiles: Iterable[Compile],
    guards: Mapping[EventKey, Sequence[Guard]],
    source: str,
    index: int,
    became: Compile | None,
) -> tuple[Respecialised, ...]:
    if became is None:
        return ()
    found: dict[str, Respecialised] = {}
    is_after = False
    for compiled in compiles:
        for guard in guards.get(compiled.key, ()) if is_after else ():
            is_own = guard.kind in _KINDS and (guard.source, guard.index) == (source, index)
            if is_own and guard.kind != "size" and len(found) < _MAX_RESPECIALISED:
                line = _line(guard, compiled)
                is_duck = guard.kind == "duck_size"
                found.setdefault(guard.text, Respecialised(compiled, guard.text, line, is_duck))
        is_after = is_after or compiled is became
    return tuple(found.values())


def _line(guard: Guard, compiled: Compile) -> Frame | None:
    place, location = guard.place, compiled.location
    if place is None:
        return None
    # Torch cuts the front of paths in comments; the compiled function's file has it.
    is_same = location is not None and location.file.endswith(place.file)
    file = location.file if location is not None and is_same else place.file
    return Frame(file, place.line, place.function, place.code)
