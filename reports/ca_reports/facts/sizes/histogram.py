"""The sizes that compiled functions were called with: a histogram for each that has several.

Dimensions that always have one size (``ids[1]``, ``mask[1]``) are one argument. The parts of a
function that graph breaks make of it, and functions that one call leads to, have the same sizes
equally often: they are one function here.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import field, replace
from typing import TYPE_CHECKING, Literal

from ca_engine.lazy_classes import dataclass
from ca_reports.facts.guard_paths import guard_path
from ca_reports.torchlib.loaders import library_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ca_reports.run.model import Compile, Frame, GraphSizes, Process, Run

# More than this vary in no program that one could advise.
_MAX_ARGUMENTS = 6

# How calls ran: on a graph of their size alone, on one for any size, or in Python, past the
# recompile limit.
Way = Literal["static", "dynamic", "eager"]
Dimension = tuple[str, int]


@dataclass(frozen=True, slots=True)
class CallRow:
    """Calls with the same sizes on graphs of one kind; ``values`` has one for each argument.

    ``step`` are the seconds from such a call to the next one, ``seconds`` those of the call.
    """

    values: tuple[int, ...]
    way: Way
    calls: int
    step: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class SizedFunction:
    """A compiled function whose inputs had several sizes.

    ``arguments`` are the dimensions that varied, those of one size together, the program's own
    names first. ``compiles`` are those of all functions that are one here, ``codes`` their numbers.
    ``digits`` and ``left_out`` are as in ``schema.SizesRecord``. ``names`` are those of the user's
    call for arguments that only their place is known of.
    """

    process: Process
    codes: tuple[str, ...]
    location: Frame | None
    arguments: tuple[tuple[Dimension, ...], ...]
    rows: tuple[CallRow, ...]
    compiles: tuple[Compile, ...]
    static_graphs: frozenset[str]
    digits: int | None = None
    left_out: int = 0
    names: Mapping[str, str] = field(default_factory=dict)

    def called(self, source: str) -> str:
        """Return the name of an argument in the user's call, where guards have none for it."""
        return self.names.get(source, source)

    @property
    def calls(self) -> int:
        """Return how often it was called."""
        return sum(row.calls for row in self.rows)

    @property
    def counts(self) -> Mapping[tuple[int, ...], int]:
        """Return how often it was called with each set of sizes, the smallest first."""
        found: Counter[tuple[int, ...]] = Counter()
        for row in self.rows:
            found[row.values] += row.calls
        return dict(sorted(found.items()))

    @property
    def library(self) -> str | None:
        """Return the library whose loop calls it, if it has options for sizes."""
        stacks = (frame.file for one in self.compiles for frame in one.stack)
        return library_of(stacks)

    @property
    def eager_calls(self) -> int:
        """Return how many of its calls a recompile limit left to Python."""
        return sum(row.calls for row in self.rows if row.way == "eager")

    @property
    def misses_calls(self) -> bool:
        """Return whether a recompile limit left calls to Python, and none of them was counted."""
        return any(one.is_refused for one in self.compiles) and not self.eager_calls

    def histogram(self, argument: int) -> Mapping[int, int]:
        """Return how often one argument had each size, the smallest first."""
        found: Counter[int] = Counter()
        for row in self.rows:
            found[row.values[argument]] += row.calls
        return dict(sorted(found.items()))


def sized_functions(run: Run) -> list[SizedFunction]:
    """Return the functions of all processes with inputs of several sizes, most called first."""
    found = [one for process in run.processes for one in of_process(process)]
    return sorted(found, key=lambda one: -one.calls)


def only_dimension(function: SizedFunction, argument: int) -> SizedFunction:
    """Return the function with one of its arguments alone: its calls of all sizes of the others."""
    alone: dict[tuple[int, Way], list[CallRow]] = {}
    for row in function.rows:
        alone.setdefault((row.values[argument], row.way), []).append(row)
    rows = tuple(
        CallRow(
            (size,),
            way,
            sum(row.calls for row in rows),
            _mean((row.calls, row.step) for row in rows),
            _mean((row.calls, row.seconds) for row in rows),
        )
        for (size, way), rows in alone.items()
    )
    return replace(function, arguments=(function.arguments[argument],), rows=rows)


def of_process(process: Process) -> list[SizedFunction]:
    """Return those of one process."""
    by_code: dict[str, list[GraphSizes]] = {}
    for graph in process.graph_sizes:
        by_code.setdefault(graph.code_number, []).append(graph)
    compiles: dict[str, list[Compile]] = {}
    for compiled in process.compiles:
        if compiled.is_forward:
            compiles.setdefault(compiled.code_number, []).append(compiled)
    together: dict[object, SizedFunction] = {}
    for code, graphs in by_code.items():
        one = _of_code(process, code, graphs, compiles.get(code, []))
        if one is None:
            continue
        key = tuple(sorted(one.counts.items()))
        known = together.get(key)
        together[key] = one if known is None else _joined(known, one)
    return list(together.values())


def _joined(first: SizedFunction, other: SizedFunction) -> SizedFunction:
    """Return one function of two that have the same sizes; the program's own names come first."""
    one, two = first, other
    if _is_on_stack(first) and not _is_on_stack(other):
        one, two = other, first
    return SizedFunction(
        one.process,
        (*one.codes, *two.codes),
        one.location or two.location,
        one.arguments,
        one.rows,
        (*one.compiles, *two.compiles),
        one.static_graphs | two.static_graphs,
        one.digits,
        one.left_out,
    )


def _is_on_stack(found: SizedFunction) -> bool:
    return all(guard_path(name).is_on_stack for argument in found.arguments for name, _ in argument)


def _of_code(
    process: Process, code: str, graphs: Sequence[GraphSizes], compiles: Sequence[Compile]
) -> SizedFunction | None:
    columns = _columns(graphs)
    if not columns:
        # Arguments that Python was given were not found by the names that guards have.
        graphs = [graph for graph in graphs if not graph.is_eager]
        columns = _columns(graphs) if graphs else {}
    arguments: dict[tuple[int, ...], list[Dimension]] = {}
    for dimension, column in columns.items():
        if len(set(column)) > 1:
            arguments.setdefault(column, []).append(dimension)
    if not arguments or len(arguments) > _MAX_ARGUMENTS:
        return None
    names = [tuple(sorted(found, key=_by_name)) for found in arguments.values()]
    static = frozenset(
        graph.graph
        for graph in graphs
        if not (graph.is_eager or any(_is_symbol(graph, name) for (name, *_) in names))
    )
    calls: dict[tuple[tuple[int, ...], Way], list[tuple[int, float | None, float | None]]] = {}
    sets = list(zip(*arguments, strict=True))
    entries = [(graph, at) for graph in graphs for at in range(len(graph.calls))]
    for values, (graph, at) in zip(sets, entries, strict=True):
        way: Way = "static" if graph.graph in static else "dynamic"
        if graph.is_eager:
            way = "eager"
        timed = (graph.calls[at], graph.steps[at], graph.seconds[at])
        calls.setdefault((values, way), []).append(timed)
    rows = [
        CallRow(
            values,
            way,
            sum(calls for calls, _, _ in timed),
            _mean((calls, step) for calls, step, _ in timed),
            _mean((calls, seconds) for calls, _, seconds in timed),
        )
        for (values, way), timed in calls.items()
    ]
    located = next((one.location for one in compiles if one.location is not None), None)
    return SizedFunction(
        process=process,
        codes=(code,),
        location=located,
        arguments=tuple(names),
        rows=tuple(row for row in rows if row.calls),
        compiles=tuple(compiles),
        static_graphs=static,
        digits=min((one.digits for one in graphs if one.digits is not None), default=None),
        left_out=sum(one.left_out for one in graphs),
    )


def _columns(graphs: Sequence[GraphSizes]) -> dict[Dimension, tuple[int, ...]]:
    """Return the sizes of each dimension in all entries of all graphs, where all have it."""
    shapes = [graph.inputs for graph in graphs]
    found: dict[Dimension, tuple[int, ...]] = {}
    for name, shape in shapes[0].items():
        if any(len(other.get(name, ())) != len(shape) for other in shapes):
            continue
        for index in range(len(shape)):
            column = [_sizes(graph, graph.inputs[name][index]) for graph in graphs]
            if all(sizes is not None for sizes in column):
                found[name, index] = tuple(one for sizes in column if sizes for one in sizes)
    return found


def _sizes(graph: GraphSizes, size: int | str) -> list[int] | None:
    """Return a dimension's size in each entry; None of an expression over several symbols."""
    if isinstance(size, int):
        return [size] * len(graph.calls)
    if size not in graph.symbols:
        return None
    at = graph.symbols.index(size)
    return [values[at] for values in graph.sizes]


def _is_symbol(graph: GraphSizes, dimension: Dimension) -> bool:
    name, index = dimension
    return isinstance(graph.inputs[name][index], str)


def _by_name(dimension: Dimension) -> tuple[bool, bool, str, int]:
    name, index = dimension
    path = guard_path(name)
    return path.is_on_stack, path.is_of_self or path.is_global, name, index


def _mean(timed: Iterable[tuple[int, float | None]]) -> float | None:
    known = [(calls, seconds) for calls, seconds in timed if seconds is not None and calls]
    total = sum(calls for calls, _ in known)
    return sum(calls * seconds for calls, seconds in known) / total if total else None
