"""The program's files that took part in a run, as LibCST trees with names and positions.

Files are read where `program.files` allows it, below the run's working folder, and only if they
are as they were when the run began.
"""

from __future__ import annotations

import ast
import builtins
import os
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import libcst as cst
from libcst import metadata

from ca_reports.fixes.patches import ChangedSinceError, RefusedError, differing
from ca_reports.model import Compile
from ca_reports.program.files import SourceFiles
from ca_reports.program.syntax import Module, Program, Site
from ca_reports.source.tensors import is_tensor

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ca_reports.facts.guarded import GuardedThing
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.findings import Finding
    from ca_reports.model import Event, EventKey, GraphBreak, Run
    from ca_reports.program.scopes import Scope
    from ca_reports.stack import Frame

_INSTALLED = ("site-packages", "dist-packages")

NodeT = TypeVar("NodeT", bound=cst.CSTNode)


@dataclass(frozen=True, slots=True)
class BoundVariable:
    """A variable of a file: its scope, and all that binds it; nothing, if it is not the file's.

    ``nodes`` are those of ``bound`` in the file's own tree, None for what is not looked for there.
    """

    owner: Scope | None
    bound: tuple[ast.AST, ...]
    nodes: tuple[Any, ...]

    @property
    def is_global(self) -> bool:
        """Return whether it is the module's."""
        return self.owner is not None and isinstance(self.owner.node, ast.Module)

    @property
    def is_imported(self) -> bool:
        """Return whether imports bind it, and nothing else."""
        return bool(self.bound) and all(isinstance(one, ast.alias) for one in self.bound)


def imported_name(module: Module, bound: ast.AST) -> str:
    """Return the full name of what an import binds; empty for anything else."""
    parent = module.parents.get(bound)
    if not isinstance(bound, ast.alias):
        return ""
    if isinstance(parent, ast.ImportFrom):
        return ".".join(filter(None, ("." * parent.level + (parent.module or ""), bound.name)))
    return bound.name if bound.asname else bound.name.partition(".")[0]


class SourceFile:
    """One file: its text, and its tree once somebody asks for it.

    ``name`` is relative to the run's working folder, ``path`` absolute. ``ran`` is the text that
    ran, where it is another one: lines are counted as they are there, as findings name them.
    """

    def __init__(self, name: str, path: Path, text: str, ran: str | None = None) -> None:
        """Parse nothing yet."""
        self.name = name
        self.path = path
        self.text = text
        self._numbers = None if ran is None else _numbers(ran.split("\n"), text.split("\n"))

    @cached_property
    def _metadata(self) -> Any:
        try:
            wrapper = metadata.MetadataWrapper(cst.parse_module(self.text), unsafe_skip_copy=True)
            return wrapper.resolve(metadata.PositionProvider), wrapper.module
        except cst.ParserSyntaxError:
            raise RefusedError(f"{self.name} cannot be parsed") from None

    @property
    def tree(self) -> cst.Module:
        """The file's tree. Raises `RefusedError` if it does not parse."""
        tree: cst.Module = self._metadata[1]
        return tree

    @cached_property
    def nodes(self) -> tuple[cst.CSTNode, ...]:
        """All nodes, outer ones first, in the order of the source."""
        return (self.tree, *self._parents)

    @cached_property
    def _parents(self) -> dict[cst.CSTNode, cst.CSTNode]:
        """Return what each node is a part of: LibCST's provider takes three times as long."""
        found: dict[cst.CSTNode, cst.CSTNode] = {}
        waiting: list[tuple[cst.CSTNode, cst.CSTNode]] = []
        node: cst.CSTNode = self.tree
        while True:
            waiting += ((child, node) for child in reversed(node.children))
            if not waiting:
                return found
            node, parent = waiting.pop()
            found[node] = parent

    def all(self, kind: type[NodeT]) -> list[NodeT]:
        """The nodes of a kind."""
        return [node for node in self.nodes if isinstance(node, kind)]

    def parent(self, node: cst.CSTNode) -> Any:
        """Return what ``node`` is a part of."""
        return self._parents.get(node)

    def around(self, node: cst.CSTNode) -> Iterator[Any]:
        """Yield what ``node`` is a part of, innermost first."""
        found = self.parent(node)
        while found is not None:
            yield found
            found = self.parent(found)

    def statement(self, node: cst.CSTNode) -> Any:
        """The line, or the compound statement, that ``node`` is in."""
        kinds = (cst.SimpleStatementLine, cst.BaseCompoundStatement)
        if isinstance(node, kinds):
            return node
        return next(found for found in self.around(node) if isinstance(found, kinds))

    def function(self, node: cst.CSTNode) -> Any:
        """The function around ``node``, else the module."""
        kinds = (cst.FunctionDef, cst.Lambda, cst.Module)
        return next((found for found in self.around(node) if isinstance(found, kinds)), self.tree)

    def scope(self, node: cst.CSTNode) -> ast.AST:
        """The function around ``node``, else the module, as `module` has it."""
        function = self.function(node)
        if isinstance(function, cst.Module):
            return self.module.tree
        named = function.name if isinstance(function, cst.FunctionDef) else function
        return self.module.scope_at(self._own_lines(named)[0])

    def variable(self, name: cst.Name) -> BoundVariable:
        """Return the variable that ``name`` reads or binds."""
        site = self.site(name)
        owner, called = self.module.bindings.variable(site.node) if site else (None, name.value)
        return self._variable(owner, called)

    def variable_at(self, name: str, node: cst.CSTNode) -> BoundVariable:
        """Return the variable that is called ``name`` in the function that ``node`` is in."""
        scopes = self.module.bindings.scopes
        maker = self._makers.get(self.span(self.function(node))[0], self.module.tree)
        return self._variable(scopes.own[maker].owner(name), name)

    def _variable(self, owner: Scope | None, name: str) -> BoundVariable:
        bound = () if owner is None else tuple(owner.bindings.get(name, ()))
        return BoundVariable(owner, bound, tuple(map(self._binding_node, bound)))

    def names(self, node: cst.CSTNode) -> frozenset[str]:
        """The full names that ``node`` may have by the file's imports; none if it is local."""
        parts: list[str] = []
        while not isinstance(node, cst.Name):
            if isinstance(node, cst.Attribute):
                parts.insert(0, node.attr.value)
                node = node.value
            elif isinstance(node, cst.Call):
                node = node.func
            elif isinstance(node, cst.Subscript):
                node = node.value
            else:
                return frozenset()
        bound = self.variable(node).bound
        if bound:
            full = [imported_name(self.module, one) for one in bound]
        else:
            full = [f"builtins.{node.value}" if hasattr(builtins, node.value) else ""]
        return frozenset(".".join((one, *parts)) for one in full) if all(full) else frozenset()

    @cached_property
    def module(self) -> Module:
        """The file as `ca_reports.source` reads it, for what is asked there of its expressions."""
        return Module(self.name, self.text, ast.parse(self.text))

    def site(self, node: cst.CSTNode) -> Site | None:
        """The expression that ``node`` is, in `module`; None for what is no expression there."""
        return self._sites.get(self.span(node))

    def is_tensor(self, node: cst.CSTNode) -> bool:
        """Return whether the source shows that ``node`` is a tensor: not where it may be one."""
        site = self.site(node)
        return site is not None and is_tensor(site.module, site.node)

    def node_at(self, site: Site) -> Any:
        """The node that `site` finds there. Raises `RefusedError` if it finds none."""
        span = self._span_of(site.node)
        found = next((node for node in self._nodes_at.get(span, ())), None)
        if found is None:
            raise RefusedError(f"{self.name}:{site.line} cannot be changed")
        return found

    @cached_property
    def _sites(self) -> dict[tuple[int, int], Site]:
        found: dict[tuple[int, int], Site] = {}
        for node in self.module.nodes:
            if isinstance(node, ast.expr) and not isinstance(node, ast.FormattedValue):
                found.setdefault(self._span_of(node), Site(self.module, node))
        return found

    def _binding_node(self, bound: ast.AST) -> Any:
        """The node that binds a variable, of a parameter the whole of it; None of a pattern."""
        if isinstance(bound, ast.Name):
            names = self._nodes_at.get(self._span_of(bound), ())
            return next((one for one in names if isinstance(one, cst.Name)), None)
        if isinstance(bound, ast.pattern):
            return None
        at = self._offset(bound.lineno, bound.col_offset)  # type: ignore[attr-defined]
        return self._binding_nodes.get(at)

    @cached_property
    def _binding_nodes(self) -> dict[int, Any]:
        """What binds a variable and is no name itself, by where it begins."""
        kinds = (
            cst.FunctionDef, cst.ClassDef, cst.ImportAlias, cst.ExceptHandler, cst.ExceptStarHandler
        )  # fmt: skip
        return {
            self.span(node.name if isinstance(node, cst.Param) else node)[0]: node
            for node in self.nodes
            if isinstance(node, (*kinds, cst.Param))
        }

    @cached_property
    def _makers(self) -> dict[int, ast.AST]:
        """The functions and lambdas of `module`, by where they begin."""
        return {self._offset(node.lineno, node.col_offset): node for node in self.module.functions}

    @cached_property
    def _nodes_at(self) -> dict[tuple[int, int], list[cst.BaseExpression]]:
        found: dict[tuple[int, int], list[cst.BaseExpression]] = {}
        for node in self.nodes:
            if isinstance(node, cst.BaseExpression):
                found.setdefault(self.span(node), []).append(node)
        return found

    def _span_of(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Return where ``node`` begins and ends in the text: `ast` counts bytes within lines."""
        ends = (
            (node.lineno, node.col_offset),
            (
                node.end_lineno or node.lineno,
                node.end_col_offset or node.col_offset,
            ),
        )
        start, end = (self._offset(line, column) for line, column in ends)
        return start, end

    def _offset(self, line: int, column: int) -> int:
        start = self._starts[line - 1]
        text = self.text[start : start + column]
        if not text.isascii():
            encoded = self.text[start : self._end_of_line(start)].encode()
            return start + len(encoded[:column].decode(errors="ignore"))
        return start + column

    def lines(self, node: cst.CSTNode) -> tuple[int, int]:
        """The first and last line of ``node``, one-based, in the text that ran."""
        first, last = self._own_lines(node)
        return self.line_that_ran(first), self.line_that_ran(last)

    def _own_lines(self, node: cst.CSTNode) -> tuple[int, int]:
        found = self._metadata[0][node]
        return found.start.line, found.end.line

    def span(self, node: cst.CSTNode) -> tuple[int, int]:
        """Return where ``node`` begins and ends in the text, in characters."""
        found = self._metadata[0][node]
        return (
            self._starts[found.start.line - 1] + found.start.column,
            self._starts[found.end.line - 1] + found.end.column,
        )

    def code(self, node: cst.CSTNode) -> str:
        """The text of ``node``."""
        start, end = self.span(node)
        return self.text[start:end]

    def indent_of(self, node: cst.CSTNode) -> str:
        """The white space before the line that ``node`` begins on."""
        start = self._starts[self._own_lines(node)[0] - 1]
        line = self.text[start : self._end_of_line(start)]
        return line[: len(line) - len(line.lstrip())]

    @property
    def unit(self) -> str:
        """Return what a block of the file is indented by."""
        return self.tree.default_indent

    def line_start(self, node: cst.CSTNode) -> int:
        """Return where the line that ``node`` begins on begins."""
        return self._starts[self._own_lines(node)[0] - 1]

    def line_end(self, offset: int) -> int:
        """Return where the line ends that character ``offset`` is in, before its newline."""
        return self._end_of_line(offset)

    @cached_property
    def newline(self) -> str:
        """Return the characters that end its lines."""
        return "\r\n" if "\r\n" in self.text else "\n"

    def _end_of_line(self, offset: int) -> int:
        end = self.text.find("\n", offset)
        if end < 0:
            return len(self.text)
        return end - 1 if self.text[end - 1 : end] == "\r" else end

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for line in self.text.split("\n"):
            starts.append(starts[-1] + len(line) + 1)
        return starts

    def place(self, node: cst.CSTNode) -> str:
        """``train.py:12``, for messages."""
        return f"{self.name}:{self.lines(node)[0]}"

    def line_that_ran(self, line: int) -> int:
        """The number that a line of the text has in the text that ran."""
        return line if self._numbers is None else self._numbers[line - 1]


def _numbers(ran: Sequence[str], now: Sequence[str]) -> list[int]:
    """For each line of ``now`` the one-based number of what it was in ``ran``.

    A line that was added has the number of the one that it stands at.
    """
    found: list[int] = []
    at = 0
    for begin, end, new_begin, new_end in (*differing(ran, now), (len(ran), 0, len(now), len(now))):
        found += range(at + 1, begin + 1)
        last = max(begin + 1, end)
        found += (min(begin + 1 + step, last) for step in range(new_end - new_begin))
        at = end
    return found


class EditableProgram:
    """The files of a run below its working folder, those that it names and what they import."""

    def __init__(
        self,
        run: Run,
        files: SourceFiles,
        facts: Sequence[ProcessFacts] = (),
        *,
        as_recorded: bool = False,
    ) -> None:
        """Read the files as they are, or from the run's folder ``as_recorded``.

        Those are what ran, and no file of this machine. Raises `RefusedError` if there are none.
        """
        self._as_recorded = as_recorded
        self.folder = _folder(run, is_elsewhere=as_recorded)
        self.is_here = str(self.folder) in run.source_roots
        self._allowed = files = SourceFiles((), run.source) if as_recorded else files
        self._started = min(
            (
                start
                for start in (
                    *(one.start for one in run.recorded),
                    *(one.start for one in run.processes),
                )
                if start is not None
            ),
            default=None,
        )
        self._compiles = tuple(found for one in run.processes for found in one.compiles)
        self.files: dict[str, SourceFile] = {}
        entries = [name if as_recorded else str(self.folder / name) for name in _entries(run)]
        self._things: dict[EventKey, list[GuardedThing]] = {}
        for process in facts:
            for thing in (*process.guarded, *process.coinciding):
                for recompile in thing.recompiles:
                    self._things.setdefault(recompile.compiled.key, []).append(thing)
        for name in Program(files, entries).modules:
            found = self._read(Path(name))
            if found is not None:
                self.files.setdefault(found.name, found)

    def patched(self, texts: Mapping[str, str]) -> EditableProgram:
        """Return the same program with other ``texts`` of some files, by their names."""
        other = copy(self)
        other.files = {
            name: SourceFile(name, file.path, texts[name], file.text) if name in texts else file
            for name, file in self.files.items()
        }
        return other

    def _read(self, path: Path) -> SourceFile | None:
        name_in_log = str(path)
        path = Path(os.path.abspath(self.folder / path))  # noqa: PTH100 -- a link stays
        if not path.is_relative_to(self.folder) or any(part in path.parts for part in _INSTALLED):
            return None
        name = path.relative_to(self.folder).as_posix()
        if self._as_recorded:
            text = self._allowed.kept_whole(name_in_log)
        else:
            found = self._allowed.current(str(path))
            text = None if found is None else found.text
        if text is None or "\N{REPLACEMENT CHARACTER}" in text:
            return None
        return SourceFile(name, path, text)

    def file(self, frame: Frame | None) -> SourceFile | None:
        """The file that ``frame`` is in, if it is one of the program's."""
        if frame is None:
            return None
        path = Path(os.path.abspath(self.folder / frame.file))  # noqa: PTH100
        return next((found for found in self.files.values() if found.path == path), None)

    @property
    def texts(self) -> dict[str, str]:
        """The files' texts, by their names."""
        return {name: file.text for name, file in self.files.items()}

    def definitions_of(self, name: str) -> Iterator[tuple[SourceFile, cst.FunctionDef]]:
        """Yield the functions of this name, with their files."""
        for file in self.files.values():
            if name and name in file.text:
                for one in file.all(cst.FunctionDef):
                    if one.name.value == name:
                        yield file, one

    def functions(self, name: str) -> Iterator[Site]:
        """Yield the same as `SourceFile.module` has them."""
        for file in self.files.values():
            if name and name in file.text:
                for one in file.module.functions:
                    if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and one.name == name:
                        yield Site(file.module, one)

    def place(self, site: Site) -> str:
        """``train.py:12``, for messages."""
        file = self.files[site.module.file]
        return f"{file.name}:{file.line_that_ran(site.node.lineno)}"

    def definitions_with(self, parameter: str) -> Iterator[tuple[SourceFile, cst.FunctionDef]]:
        """Yield the functions that have a parameter of this name, with their files."""
        for file in self.files.values():
            if parameter in file.text:
                for one in file.all(cst.FunctionDef):
                    every = (
                        *one.params.posonly_params,
                        *one.params.params,
                        *one.params.kwonly_params,
                    )
                    if any(each.name.value == parameter for each in every):
                        yield file, one

    @property
    def script(self) -> SourceFile:
        """The file that the run started. Raises `RefusedError` if it is none of the program's."""
        found = next(iter(self.files.values()), None)
        if found is None:
            raise RefusedError("the program's files cannot be read")
        return found

    def guarded(self, finding: Finding) -> GuardedThing | None:
        """Return what the failed guards checked, if the finding is about a forward's recompiles.

        Of several things that one recompile has, the one that the finding is named after.
        """
        found = [thing for event in finding.events for thing in self._things.get(event.key, ())]
        named = [thing for thing in found if thing.key == finding.key]
        return next(iter([*named, *found]), None)

    def by_function(self, finding: Finding) -> list[tuple[Event, ...]]:
        """The events of a finding, a group for each compiled function; one group of any others."""
        groups: dict[tuple[int, str] | None, list[Event]] = {}
        for event in finding.events:
            code = _code(event) if isinstance(event, Compile) else None
            groups.setdefault(code, []).append(event)
        return [tuple(finding.events)] if None in groups else [*map(tuple, groups.values())]

    def compiles_of(self, events: Iterable[object]) -> tuple[Compile, ...]:
        """All compiles of the codes that ``events`` compiled: the first, which is no recompile."""
        codes = {_code(one) for one in events if isinstance(one, Compile)}
        found = [one for one in self._compiles if _code(one) in codes]
        return tuple(found) or tuple(one for one in events if isinstance(one, Compile))

    def is_compiled(self, file: SourceFile, function: cst.FunctionDef) -> bool:
        """Return whether Dynamo compiled ``function``, for itself or because of a graph break."""
        if self.compiles_in(file, function):
            return True
        first, last = file.lines(function)
        # Of a module of torch's the location is the user's call of it; so is that of a compile that
        # Dynamo gave up, whose code others of its number tell.
        known = {_code(one) for one in self._compiles if one.code is not None}
        codes = [
            one.location for one in self._compiles if one.code is None and _code(one) not in known
        ]
        return any(
            code is not None
            and code.function == function.name.value
            and first <= code.line <= last
            and self.file(code) is file
            for code in codes
        )

    def is_called_compiled(self, compiled: Compile) -> bool:
        """Return whether another compiled function called what was compiled."""
        codes = {(one.code.file, one.code.function) for one in self._compiles if one.code}
        own = (compiled.code.file, compiled.code.function) if compiled.code else None
        return any((frame.file, frame.function) in codes - {own} for frame in compiled.stack[:-1])

    def compiles_in(self, file: SourceFile, function: cst.FunctionDef) -> tuple[Compile, ...]:
        """The compiles of ``function`` itself."""
        first, last = file.lines(function)
        return tuple(
            one
            for one in self._compiles
            if one.code is not None
            and one.code.function == function.name.value
            and first <= one.code.line <= last
            and self.file(one.code) is file
        )

    def within(self, broken: GraphBreak) -> tuple[Frame, ...]:
        """The program's frames from the compiled function to the break; all if it is not known."""
        frames = tuple(frame for frame in broken.stack if self.file(frame))
        codes = [
            one.location
            for one in self._compiles
            if (one.process, one.compile_id) == (broken.process, broken.compile_id)
        ]
        begin = max(
            (
                at
                for at, frame in enumerate(frames)
                for code in filter(None, codes)
                if (frame.file, frame.function) == (code.file, code.function)
            ),
            default=0,
        )
        return frames[begin:]

    def is_inlined(self, broken: GraphBreak, frame: Frame | None = None) -> bool:
        """Return whether the break, or its ``frame``, is in a function that is known to be inlined.

        What comes after the graph by ``reorderable_logging_functions`` does so where the compiled
        function itself calls it: torch 2.13 leaves out the calls of inlined ones.
        """
        code = next(
            (
                one.code
                for one in self._compiles
                if (one.process, one.compile_id) == (broken.process, broken.compile_id)
            ),
            None,
        )
        at = frame or (broken.stack[-1] if broken.stack else None)
        if code is None or at is None:
            return False
        return (at.file, at.function) != (code.file, code.function)

    def require_unchanged(self, file: SourceFile) -> None:
        """Raise `RefusedError` if ``file`` is not what ran.

        By the hash that the run has kept; a run without one is told by times.
        """
        if self._as_recorded:
            return
        ran, now = self._allowed.digest(str(file.path)), self._allowed.current(str(file.path))
        if ran is not None and now is not None:
            if ran != now.digest:
                raise ChangedSinceError(f"{file.name} changed since the run: run it again")
            return
        if self._started is None:
            raise RefusedError("the log does not say when the run began: record it with `ca run`")
        if file.path.stat().st_mtime > self._started:
            raise ChangedSinceError(f"{file.name} changed since the run: run it again")

    def calls(self, *names: str) -> list[tuple[SourceFile, cst.Call]]:
        """The calls of what has one of these full names, by the imports of each file."""
        last = {name.rpartition(".")[2] for name in names}
        return [
            (file, node)
            for file in self.files.values()
            if any(name in file.text for name in last)
            for node in file.all(cst.Call)
            if file.names(node.func) and file.names(node.func) <= set(names)
        ]

    def uses(self, name: str) -> int:
        """Count the calls of ``name``, in all files, as a function or as a method."""
        return sum(
            last_name(node.func) == name
            for file in self.files.values()
            if name in file.text
            for node in file.all(cst.Call)
        )


def _code(compiled: Compile) -> tuple[int, str]:
    return compiled.process, compiled.compile_id.rpartition("/")[0]


def places(found: Sequence[tuple[SourceFile, cst.CSTNode]]) -> str:
    """``train.py:12, data.py:40``, for messages."""
    return ", ".join(file.place(node) for file, node in found[:6])


def last_name(node: Any) -> str:
    """``b`` of ``b`` and of ``a.b``; empty for anything else."""
    named = node.attr if isinstance(node, cst.Attribute) else node
    return named.value if isinstance(named, cst.Name) else ""


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Give ``node`` and all that is in it, in the order of the source."""
    yield node
    for child in node.children:
        yield from walk(child)


def names_in(node: cst.CSTNode) -> set[str]:
    """Return the names of variables and attributes in ``node``."""
    return {one.value for one in walk(node) if isinstance(one, cst.Name)}


def _folder(run: Run, *, is_elsewhere: bool) -> Path:
    folders = {found.cwd for found in run.recorded if found.cwd is not None}
    if len(folders) != 1:
        raise RefusedError("a patch needs one run of `ca run`: name its folder")
    folder = folders.pop()
    if folder not in run.source_roots and not is_elsewhere:
        raise RefusedError(
            "this run was not recorded here, or its folder was moved: run it again here"
        )
    return Path(folder)


def _entries(run: Run) -> Iterator[str]:
    """The files that the run names, as it names them, the script first."""
    for recorded in run.recorded:
        if recorded.script and recorded.script.endswith(".py"):
            yield recorded.script
    for process in run.processes:
        if process.argv and process.argv[0].endswith(".py"):
            yield process.argv[0]
        stacks = [
            *(one.stack for one in process.captures),
            *(one.stack for one in process.compiles),
            *(one.stack for one in process.graph_breaks),
        ]
        for frame in dict.fromkeys(frame for stack in stacks for frame in stack):
            yield frame.file
