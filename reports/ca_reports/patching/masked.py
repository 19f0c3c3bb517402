"""Effects of more padding in a program's batches on what is trained or printed.

The batches are followed from the function that makes them through each loop over them. What
compiled code makes of padding is read in its recorded graphs.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_reports.facts.masking.fills import WHOLE, Fill, HasPartError, Known, Tensor
from ca_reports.facts.masking.graphs import ForwardGraph, GraphTextError, without_effect
from ca_reports.facts.masking.operations import padded_within
from ca_reports.patching import sites
from ca_reports.patching.followed import Followed, padded_within_list
from ca_reports.program.syntax import Definition, Site, last_name
from ca_reports.torchlib import loaders

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile
    from ca_reports.run.model import Compile

# Functions that give a loader's batches on as they are, or ask how many there are.
_SEES_ALL = ("enumerate", "tqdm", "len", "print")
_NO_SIGNS = expression(r"\W+")


@dataclass(frozen=True, slots=True)
class Masked:
    """More padding has no effect; but that ``draws`` says, other random numbers are drawn."""

    draws: bool = False


def masked(
    finding: Finding,
    program: EditableProgram,
    widths: Sequence[tuple[SourceFile, ast.Call]],
    longest: int,
) -> Masked:
    """Return that batches can be padded up to ``longest`` at ``widths``, all in one function.

    Raises `HasPartError` with the reason where the source and the graphs do not show it.
    """
    file, call = widths[0]
    function = file.function(call)
    if not isinstance(function, Definition):
        raise HasPartError("batches are made outside of a function")
    return _Search(finding, program, file, function, longest).over(
        frozenset(node for _, node in widths)
    )


class _Search:
    def __init__(
        self,
        finding: Finding,
        program: EditableProgram,
        file: SourceFile,
        function: Any,
        longest: int,
    ) -> None:
        self._program = program
        self._file = file
        self._function = function
        self._longest = longest
        self._graphs = _graphs(finding, program)
        self._draws = False
        self._called = False

    def over(self, widths: frozenset[ast.AST]) -> Masked:
        """Follow a batch through every loop that is given one. Raises `HasPartError`."""
        begin = Followed(self._program, widths, self._of_call, self._file)
        loops = list(self._loops())
        if loops:
            batch = begin.inlined(self._file, self._function, {})
            for file, loop in loops:
                inner = Followed(self._program, widths, self._of_call, file)
                if isinstance(loop, ast.For):
                    self._through(inner, loop, file, _target(loop), batch)
                else:
                    inner.bind(_target(loop.generators[0]), batch)
                    if padded_within_list([inner.value(loop.elt)]):
                        raise HasPartError("it is collected", file.place(loop))
        for file, call in self._direct_calls():
            block: Any = next(
                (
                    one
                    for one in file.around(call)
                    if isinstance(one, ast.For | ast.While | Definition)
                ),
                file.tree,
            )
            inner = Followed(self._program, widths, self._of_call, file)
            self._through(inner, block, file)
        if not self._called:
            raise HasPartError("can't tell how a batch gets to the compiled code")
        return Masked(self._draws)

    def _through(
        self,
        inner: Followed,
        block: Any,
        file: SourceFile,
        target: ast.expr | None = None,
        batch: Any = None,
    ) -> None:
        inner.rounds(block.body, target, batch)
        if any(map(padded_within, inner.returned)):
            raise HasPartError("it is returned", file.place(block))
        padded = {name for name, value in inner.known.items() if padded_within(value)}
        within = {id(node) for node in ast.walk(block)}
        for name in file.all(ast.Name):
            is_read = isinstance(name.ctx, ast.Load) and name.id in padded
            if not is_read or id(name) in within:
                continue
            is_seen = file.function(name) is file.function(block)
            if is_seen or (file.function(block) is file.tree and file.variable(name).is_global):
                raise HasPartError(f"{name.id} is used after the loop", file.place(name))

    def _loops(self) -> list[tuple[SourceFile, Any]]:
        """Return the loops over a loader that has the function make its batches."""
        owner = self._file.owner(self._function)
        names = {self._function.name, *([owner.name] if owner is not None else [])}
        made = {
            call
            for _, call, given in self._program.calls_with("collate_fn")
            if last_name(given.func if isinstance(given, ast.Call) else given) in names
        }
        self._require_loops_only(made)
        found = []
        for file in self._program.files.values():
            loops: list[Any] = file.all(ast.For, ast.ListComp, ast.GeneratorExp)
            for loop in loops:
                if not isinstance(loop, ast.For) and len(loop.generators) > 1:
                    continue
                over, _ = _unwrapped(loop if isinstance(loop, ast.For) else loop.generators[0])
                origins = self._program.origins.of(Site(file, over))
                seen = {site.node for one in origins for site in (one.site, *one.way)}
                if not seen.isdisjoint(made):
                    found.append((file, loop))
        return found

    def _require_loops_only(self, made: Collection[ast.Call]) -> None:
        """Require that loaders are given to loops and functions of the program only.

        What a library does with their batches is not seen. Raises `HasPartError`.
        """
        kept = {
            name
            for file in self._program.files.values()
            for call in file.all(ast.Call)
            if call in made
            for name in self._program.kept_as(file, call)
        }
        for file in self._program.files.values():
            given: list[tuple[ast.AST, ast.expr]] = [
                (call, one)
                for call in file.all(ast.Call)
                if last_name(call.func) not in _SEES_ALL and not self._program.names.callees(call)
                for one in (*call.args, *(option.value for option in call.keywords))
            ]
            given += [(one, each.iter) for one in file.all(ast.SetComp) for each in one.generators]
            given += [(one, each.iter) for one in file.all(ast.DictComp) for each in one.generators]
            for node, one in given:
                if one in made or last_name(one) in kept:
                    raise HasPartError("not only loops take its batches", file.place(node))

    def _direct_calls(self) -> list[tuple[SourceFile, ast.Call]]:
        """Return the calls of the function that makes batches, by the program itself."""
        return [
            (file, call)
            for file in self._program.files.values()
            if self._function.name in file.text
            for call in file.all(ast.Call)
            if last_name(call.func) == self._function.name
            and any(one.node is self._function for one in self._program.names.callees(call))
        ]

    def _of_call(self, file: SourceFile, call: ast.Call, inner: Followed) -> Any | None:
        """Return what a call of compiled code gives; None of another one."""
        graphs = next((one for one in self._graphs if call in one.calls), None)
        if graphs is None:
            return None
        given = inner.given(graphs.file, graphs.definition, call)
        results = self._results(graphs, given)
        self._called = True
        padded = [value for value in results if padded_within(value)]
        if not padded:
            return Tensor()
        returns = [
            one.value
            for one in ast.walk(graphs.definition)
            if isinstance(one, ast.Return) and one.value is not None
        ]
        keeps = any(
            isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)
            for one in ast.walk(graphs.definition)
        )
        if len(returns) != 1 or keeps:
            raise HasPartError("what compiled code returns is not known")
        values = [_whole(value) for value in results]
        if isinstance(returns[0], ast.Tuple) and len(returns[0].elts) == len(values):
            return tuple(values)
        if len(values) == 1 and not isinstance(returns[0], ast.Tuple | ast.Dict | ast.Call):
            return values[0]
        if len(values) == 1 and isinstance(returns[0], ast.Call):
            return values[0]
        raise HasPartError("what compiled code returns is not known")

    def _results(self, graphs: _Graphs, given: Mapping[str, Any]) -> Sequence[Any]:
        padded = dict(_inputs(given))
        error = GraphTextError("no two of different sizes were recorded")
        every: list[Sequence[Any]] = []
        for pair in graphs.pairs():
            try:
                found = without_effect(pair, padded, self._longest)
            except GraphTextError as unlike:
                error = unlike
                continue
            self._draws |= found.draws
            every.append(found.values)
        if not every:
            raise HasPartError(f"its graphs cannot be read: {error}")
        if len({tuple(map(padded_within, values)) for values in every}) > 1:
            raise HasPartError("its graphs differ in what they make of it")
        return every[-1]


@dataclass(frozen=True, slots=True)
class _Graphs:
    """A compiled function, its calls in the source, and the graphs that were recorded of it."""

    file: SourceFile
    definition: Any
    calls: frozenset[ast.AST]
    graphs: tuple[ForwardGraph, ...]

    def pairs(self) -> list[list[ForwardGraph]]:
        """Return two graphs of other sizes each time, and each that has symbols by itself."""
        static = [one for one in self.graphs if not _has_symbols(one)]
        found = [[one] for one in self.graphs if _has_symbols(one)]
        return found + [[one, other] for at, one in enumerate(static) for other in static[at + 1 :]]


def _unwrapped(loop: Any) -> tuple[ast.expr, ast.expr]:
    """Return what a loop is over and what it calls each, without `enumerate` and `tqdm`."""
    over, target = loop.iter, loop.target
    while isinstance(over, ast.Call) and over.args:
        name = last_name(over.func)
        if name == "enumerate" and isinstance(target, ast.Tuple) and len(target.elts) == 2:
            target = target.elts[1]
        elif name != "tqdm":
            break
        over = over.args[0]
    return over, target


def _target(loop: Any) -> ast.expr:
    """Return what a loop over a loader calls its batch. Raises `HasPartError`."""
    over, target = _unwrapped(loop)
    name = last_name(over.func) if isinstance(over, ast.Call) else ""
    if name and name not in loaders.LOADERS:
        raise HasPartError(f"{name}() makes something of its batches")
    return target


def _has_symbols(graph: ForwardGraph) -> bool:
    return any(re.search(r"\bs\d+\b", type) for type in graph.inputs.values())


def _graphs(finding: Finding, program: EditableProgram) -> list[_Graphs]:
    """Return the compiled functions of the finding's program whose graphs were recorded."""
    found: dict[tuple[int, str], list[Compile]] = {}
    for one in program.compiles:
        if one.is_forward:
            found.setdefault((one.process, one.code_number), []).append(one)
    graphs = []
    for compiles in found.values():
        read = _read(compiles)
        location = compiles[0].location
        if not read or location is None:
            continue
        site = sites.compiled_at("", location, compiles, program)
        if site.file is None or site.definition is None:
            continue
        try:
            calls = sites.calls(site, program)
        except ValueError:
            continue
        is_broken = any(
            one.resumes is not None
            and one.resumes.file == location.file
            and one.resumes.function == location.function
            for one in program.compiles
        )
        if not is_broken and calls:
            graphs.append(
                _Graphs(site.file, site.definition, frozenset(call for _, call in calls), read)
            )
    return graphs


def _read(compiles: Sequence[Compile]) -> tuple[ForwardGraph, ...]:
    found = []
    for one in compiles:
        if one.graph_code is None or one.graphs != 1:
            continue
        try:
            found.append(ForwardGraph.read(one.graph_code.text))
        except GraphTextError:
            continue
    return tuple(found)


def _inputs(given: Mapping[str, Any], before: str = "l_") -> list[tuple[str, Fill]]:
    """Return the inputs of a graph that are padded, by their names there, and their padding."""
    found: list[tuple[str, Fill]] = []
    for name, value in given.items():
        own = f"{before}{_NO_SIGNS.sub('_', str(name)).lower()}_"
        if isinstance(value, Tensor):
            if value.is_padded:
                found.append((own, value.fills[WHOLE]))
            elif value.unpadded is Known.LENGTH:
                found.append((own, Known.LENGTH))
        elif isinstance(value, tuple | list):
            found += _inputs({str(at): one for at, one in enumerate(value)}, own)
        elif isinstance(value, dict):
            found += _inputs(value, own)
        elif padded_within(value):
            raise HasPartError(f"{name} is the length")
    return found


def _whole(value: Any) -> Any:
    """Return a result whose dimensions nobody follows any further."""
    if not isinstance(value, Tensor) or not value.is_padded:
        return Tensor()
    fills = list(value.fills.values())
    fill = Known.ANY if len(set(map(repr, fills))) > 1 else fills[0]
    return Tensor(None, {WHOLE: fill}, is_batch=value.dims is not None and 0 not in value.fills)
