"""The program's files that took part in a run, as trees with names and places to change.

Files are read where `program.files` allows it, below the run's working folder, and only if they
are as they were when the run began.
"""

from __future__ import annotations

import ast
import builtins
import os
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ca_engine.lazy_classes import dataclass
from ca_reports.patching.patches import ChangedSinceError, RefusedError, differing
from ca_reports.program.edits import is_alone, is_simple, siblings, words_in
from ca_reports.program.effects import Effects
from ca_reports.program.files import SourceFiles, digest_of, parsed
from ca_reports.program.flow import Flow
from ca_reports.program.names import Names
from ca_reports.program.origins import Origins
from ca_reports.program.positions import walk
from ca_reports.program.syntax import (
    Definition,
    For,
    Module,
    Program,
    Site,
    With,
    bound_function,
    is_of_function,
    keyword,
    last_name,
    parameters_of,
    put_beside,
    targets_of,
)
from ca_reports.program.tensors import is_tensor
from ca_reports.run.model import Compile
from ca_reports.words.places import is_typed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.facts.guarded_things import GuardedThing
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.facts.recompile_limits import RecompileLimit
    from ca_reports.program.scopes import Scope
    from ca_reports.program.stack import Frame
    from ca_reports.run.model import Event, EventKey, GraphBreak, Run

_PARTIAL = "functools.partial"
# What takes gradients, or trains by them, by its last name.
_OF_GRADIENTS = frozenset(
    ("backward", "grad", "vjp", "jvp", "jacrev", "jacfwd", "jacobian", "hessian", "optim",
     "zero_grad")
)  # fmt: skip
_INSTALLED = ("site-packages", "dist-packages")

NodeT = TypeVar("NodeT", bound=ast.AST)


@dataclass(frozen=True, slots=True)
class BoundVariable:
    """A variable of a file: its scope, and all that binds it; nothing, if it is not the file's."""

    owner: Scope | None
    bound: tuple[Any, ...]

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


class SourceFile(Module):
    """One file of the program: its text, and its tree.

    ``name`` is relative to the run's working folder, ``path`` absolute. ``ran`` is the text that
    ran, where it is another one: lines are counted as they are there, as findings name them.
    """

    def __init__(
        self, name: str, path: Path, text: str, tree: ast.Module | None = None,
        ran: str | None = None,
    ) -> None:  # fmt: skip
        """Take ``tree``, or parse the text. Raises `RefusedError` if it does not parse."""
        tree = tree or parsed(text)
        if tree is None:
            raise RefusedError(f"{name} cannot be parsed")
        super().__init__(name, text, tree)
        self.name = name
        self.path = path
        self._numbers = None if ran is None else _numbers(ran.split("\n"), text.split("\n"))

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Return all nodes, outer ones first, in the order of the source."""
        return tuple(walk(self.tree))

    @cached_property
    def _by_kind(self) -> dict[type[ast.AST], list[ast.AST]]:
        found: dict[type[ast.AST], list[ast.AST]] = {}
        for node in self.nodes:
            found.setdefault(type(node), []).append(node)
        return found

    def all(self, *kinds: type[NodeT]) -> list[NodeT]:
        """Return the nodes of these kinds, in the order of the source."""
        if len(kinds) == 1:
            return list(self._by_kind.get(kinds[0], ()))  # type: ignore[arg-type]
        return [node for node in self.nodes if isinstance(node, kinds)]

    @property
    def definitions(self) -> list[Definition]:
        """Return its functions that are no lambdas."""
        return [node for node in self.nodes if isinstance(node, Definition)]

    @property
    def for_loops(self) -> list[For]:
        """Return its `for` statements."""
        return [node for node in self.nodes if isinstance(node, For)]

    @property
    def with_blocks(self) -> list[With]:
        """Return its `with` statements."""
        return [node for node in self.nodes if isinstance(node, With)]

    @cached_property
    def lines_of_code(self) -> tuple[ast.stmt, ...]:
        """Return the statements without a block that have their lines for themselves."""
        return tuple(one for one in self.nodes if self.is_line(one))  # type: ignore[misc]

    def is_line(self, node: Any) -> bool:
        """Return whether ``node`` is a statement without a block, alone on its lines."""
        return node is not None and is_simple(node) and is_alone(self, node)

    def parent(self, node: ast.AST) -> Any:
        """Return what ``node`` is a part of."""
        return self.parents.get(node)

    def around(self, node: ast.AST) -> Iterator[Any]:
        """Yield what ``node`` is a part of, innermost first."""
        return super().around(node)

    def code_of(self, lines: Sequence[ast.AST]) -> str:
        """Return the text of several statements, one after the other."""
        return self.text[self.begin(lines[0]) : self.span(lines[-1])[1]] if lines else ""

    def is_elif(self, lines: Sequence[ast.stmt]) -> bool:
        """Return whether the other side of an `if` is an `elif`."""
        is_one = len(lines) == 1 and isinstance(lines[0], ast.If)
        return is_one and self.text.startswith("elif", self.span(lines[0])[0])

    def is_side(self, branch: ast.AST) -> bool:
        """Return whether an `if` is an `elif` of another one, or its `else`."""
        around = self.parent(branch)
        return isinstance(around, ast.If) and self.is_elif(around.orelse)

    def block(self, statement: ast.AST) -> list[Any]:
        """Return the statements of the block that ``statement`` is in."""
        return siblings(self, statement)

    def call_given(self, node: ast.AST) -> ast.Call | None:
        """Return the call that ``node`` is an argument of, if it is one."""
        around = self.parent(node)
        if isinstance(around, ast.Starred | ast.keyword):
            node, around = around, self.parent(around)
        is_given = isinstance(around, ast.Call) and around.func is not node
        return around if is_given else None

    def statement(self, node: ast.AST) -> Any:
        """Return the statement that ``node`` is in, or is."""
        if isinstance(node, ast.stmt):
            return node
        return next(found for found in self.around(node) if isinstance(found, ast.stmt))

    def function(self, node: ast.AST) -> Any:
        """Return the function around ``node``, else the module."""
        return self.scope(node)

    def reads_beside(self, target: ast.Name) -> list[ast.Name]:
        """Return the names of ``target`` in its own function, but for itself."""
        function = self.function(target)
        return [
            one
            for one in self.all(ast.Name)
            if one.id == target.id and one is not target and self.function(one) is function
        ]

    def values_of(self, code: str) -> list[ast.expr]:
        """Return what this file assigns to a target that is written as ``code``."""
        return [
            one.value
            for one in self.all(ast.Assign)
            if any(self.code(target) == code for target in one.targets)
        ]

    def class_around(self, node: ast.AST) -> ast.ClassDef | None:
        """Return the innermost class that ``node`` is in."""
        return next((one for one in self.around(node) if isinstance(one, ast.ClassDef)), None)

    def is_within(self, node: ast.AST, outer: ast.AST) -> bool:
        """Return whether ``node`` begins within ``outer``, or is it."""
        start, end = self.span(outer)
        return start <= self.span(node)[0] < end

    def variable(self, name: ast.AST) -> BoundVariable:
        """Return the variable that ``name`` reads or binds."""
        return self._variable(*self.bindings.variable(name))

    def variable_at(self, name: str, node: ast.AST) -> BoundVariable:
        """Return the variable that is called ``name`` in the function that ``node`` is in."""
        maker = node if isinstance(node, ast.Module) else self.scope(node)
        return self._variable(self.bindings.scopes.own[maker].owner(name), name)

    def _variable(self, owner: Scope | None, name: str) -> BoundVariable:
        return BoundVariable(owner, () if owner is None else tuple(owner.bindings.get(name, ())))

    def names(self, node: ast.AST) -> frozenset[str]:
        """Find the full names that ``node`` may have by the file's imports; none if it is local.

        A cell has the imports of the notebook's other cells, too.
        """
        parts: list[str] = []
        while not isinstance(node, ast.Name):
            if isinstance(node, ast.Attribute):
                parts.insert(0, node.attr)
                node = node.value
            elif isinstance(node, ast.Call):
                node = node.func
            elif isinstance(node, ast.Subscript):
                node = node.value
            else:
                return frozenset()
        bound = self.variable(node).bound
        if bound:
            full = [imported_name(self, one) for one in bound]
        elif elsewhere := self.bound_beside(node.id):
            full = [imported_name(other, one) for other, one in elsewhere]
        else:
            full = [f"builtins.{node.id}" if hasattr(builtins, node.id) else ""]
        return frozenset(".".join((one, *parts)) for one in full) if all(full) else frozenset()

    def bound_beside(self, name: str) -> list[tuple[Module, ast.AST]]:
        """Return what binds a variable of the notebook's in its other cells; none in a file."""
        return [
            (other, bound)
            for other in self.beside
            for bound in other.bindings.scopes.module.bindings.get(name, ())
        ]

    def site(self, node: ast.AST) -> Site | None:
        """Return ``node`` as an expression of this file; None if it is none."""
        return Site(self, node) if isinstance(node, ast.expr) else None

    def is_tensor(self, node: Any) -> bool:
        """Return whether the source shows that ``node`` is a tensor: not where it may be one."""
        return isinstance(node, ast.expr) and is_tensor(self, node)

    def lines(self, node: ast.AST) -> tuple[int, int]:
        """Return the first and last line of ``node``, one-based, in the text that ran."""
        first, last = super().lines(node)
        if self._numbers is None:
            return first, last
        return self._numbers[first - 1], self._numbers[last - 1]


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
        self.compiles = tuple(found for one in run.processes for found in one.compiles)
        self._trains = any(process.trains for process in run.processes)
        self.files: dict[str, SourceFile] = {}
        entries = [
            name if as_recorded or is_typed(name) else str(self.folder / name)
            for name in _entries(run)
        ]
        self._things: dict[EventKey, list[GuardedThing]] = {}
        for process in facts:
            for thing in (*process.guarded, *process.coinciding):
                for recompile in thing.recompiles:
                    self._things.setdefault(recompile.compiled.key, []).append(thing)
        self._limits = [
            limit for process in facts for limit in (*process.limits, *process.limit_errors)
        ]
        for name in Program(files, entries).modules:
            found = self._read(Path(name))
            if found is not None:
                self.files.setdefault(found.name, found)
        put_beside(self.files)

    def patched(self, texts: Mapping[str, str]) -> EditableProgram:
        """Return the same program with other ``texts`` of some files, by their names."""
        other = copy(self)
        for known in ("effects", "origins", "names"):  # they are of the texts before
            other.__dict__.pop(known, None)
        other.files = {
            name: SourceFile(name, file.path, texts[name], ran=file.text)
            if name in texts
            else copy(file)  # a cell knows the others as they are in its own program
            for name, file in self.files.items()
        }
        put_beside(other.files)
        return other

    def _read(self, path: Path) -> SourceFile | None:
        name_in_log = str(path)
        path = Path(os.path.abspath(self.folder / path))  # noqa: PTH100 -- a link stays
        if not path.is_relative_to(self.folder) or any(part in path.parts for part in _INSTALLED):
            return None
        name = path.relative_to(self.folder).as_posix()
        if self._as_recorded or is_typed(name):
            text = self._allowed.kept_whole(name_in_log)
        else:
            found = self._allowed.current(str(path))
            # Patches are UTF-8, and so must be what they change.
            is_utf8 = found is not None and found.digest == digest_of(found.text or "")
            text = found.text if found is not None and is_utf8 else None
        if text is None or "\N{REPLACEMENT CHARACTER}" in text:
            return None
        tree = self._allowed.tree(text)
        return None if tree is None else SourceFile(name, path, text, tree)

    @cached_property
    def origins(self) -> Origins:
        """Return where values of these files come from, in their texts as they are."""
        return Origins(Flow(self.names, ()))

    @cached_property
    def names(self) -> Names:
        """Return what the names of these files may hold, in their texts as they are."""
        return Names(Program.of(self.files))

    @cached_property
    def effects(self) -> Effects:
        """Return what these files' expressions do besides computing, with what they call."""
        return Effects(self.names)

    @cached_property
    def asks_for_gradients(self) -> bool:
        """Return whether a gradient may be taken: the run had a backward, or the source has one."""
        files = self.files.values()
        return self._trains or any(words_in(file.tree) & _OF_GRADIENTS for file in files)

    def line(self, frame: Frame | None) -> Site | None:
        """Return the statement at ``frame``; None if it is none of the program's."""
        file = self.file(frame)
        statement = None if file is None or frame is None else file.statement_at(frame.line)
        return None if file is None or statement is None else Site(file, statement)

    def file(self, frame: Frame | None) -> SourceFile | None:
        """Return the file that ``frame`` is in, if it is one of the program's."""
        if frame is None:
            return None
        path = Path(os.path.abspath(self.folder / frame.file))  # noqa: PTH100
        return next((found for found in self.files.values() if found.path == path), None)

    @property
    def texts(self) -> dict[str, str]:
        """Return the files' texts, by their names."""
        return {name: file.text for name, file in self.files.items()}

    def definitions_of(self, name: str) -> Iterator[tuple[SourceFile, Definition]]:
        """Yield the functions of this name, with their files."""
        for file in self.files.values():
            if name and name in file.text:
                for one in file.definitions:
                    if one.name == name:
                        yield file, one

    def functions(self, name: str) -> Iterator[Site]:
        """Yield the functions of this name as places of their files."""
        return (Site(file, function) for file, function in self.definitions_of(name))

    def definitions_with(self, parameter: str) -> Iterator[tuple[SourceFile, Definition]]:
        """Yield the functions that have a parameter of this name, with their files."""
        for file in self.files.values():
            if parameter in file.text:
                for one in file.definitions:
                    if parameter in parameters_of(one):
                        yield file, one

    @property
    def script(self) -> SourceFile:
        """Return the file that the run started. Raises `RefusedError` if it is not known."""
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

    def limit_of(self, finding: Finding) -> RecompileLimit | None:
        """Return the limit of recompiles that the finding's functions hit; None if none did."""
        own = {(one.process, one.code_number) for one in finding.events if isinstance(one, Compile)}
        if finding.failure is not None and finding.failure.compile_id:
            own.add((finding.failure.process, finding.failure.compile_id.rpartition("/")[0]))
        given_up = ((limit, limit.given_up) for limit in self._limits)
        return next(
            (limit for limit, last in given_up if (last.process, last.code_number) in own), None
        )

    def by_function(self, finding: Finding) -> list[tuple[Event, ...]]:
        """Group the events of a finding by compiled function; any others are one group."""
        groups: dict[tuple[int, str] | None, list[Event]] = {}
        for event in finding.events:
            code = _code(event) if isinstance(event, Compile) else None
            groups.setdefault(code, []).append(event)
        return [tuple(finding.events)] if None in groups else [*map(tuple, groups.values())]

    def compiles_of(self, events: Iterable[object]) -> tuple[Compile, ...]:
        """Return all compiles of the codes that ``events`` compiled, the first ones too."""
        codes = {_code(one) for one in events if isinstance(one, Compile)}
        found = [one for one in self.compiles if _code(one) in codes]
        return tuple(found) or tuple(one for one in events if isinstance(one, Compile))

    def is_compiled(self, file: SourceFile, function: Definition) -> bool:
        """Return whether Dynamo compiled ``function``, for itself or because of a graph break."""
        if self.compiles_in(file, function):
            return True
        first, last = file.lines(function)
        # Of a module of torch's the location is the user's call of it; so is that of a compile that
        # Dynamo gave up, whose code others of its number tell.
        known = {_code(one) for one in self.compiles if one.code is not None}
        codes = [
            one.location for one in self.compiles if one.code is None and _code(one) not in known
        ]
        return any(
            code is not None
            and code.function == function.name
            and first <= code.line <= last
            and self.file(code) is file
            for code in codes
        )

    def is_called_compiled(self, compiled: Compile) -> bool:
        """Return whether another compiled function called what was compiled."""
        codes = {(one.code.file, one.code.function) for one in self.compiles if one.code}
        own = (compiled.code.file, compiled.code.function) if compiled.code else None
        return any((frame.file, frame.function) in codes - {own} for frame in compiled.stack[:-1])

    def compiles_in(self, file: SourceFile, function: Definition) -> tuple[Compile, ...]:
        """Return the compiles of ``function`` itself, whose code begins at its first decorator."""
        first, last = file.lines(function)
        first = min([first, *(file.lines(one)[0] for one in function.decorator_list)])
        return tuple(
            one
            for one in self.compiles
            if one.code is not None
            and one.code.function == function.name
            and first <= one.code.line <= last
            and self.file(one.code) is file
        )

    def within(self, broken: GraphBreak) -> tuple[Frame, ...]:
        """Return the program's frames from the compiled function to the break; all if unknown."""
        frames = tuple(frame for frame in broken.stack if self.file(frame))
        codes = [
            one.location
            for one in self.compiles
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
                for one in self.compiles
                if (one.process, one.compile_id) == (broken.process, broken.compile_id)
            ),
            None,
        )
        at = frame or (broken.stack[-1] if broken.stack else None)
        if code is None or at is None:
            return False
        return not is_of_function(at, code, self.file(at))

    def require_unchanged(self, file: SourceFile) -> None:
        """Raise `RefusedError` if ``file`` is not what ran.

        By the hash that the run has kept; a run without one is told by times.
        """
        if self._as_recorded or is_typed(file.name):
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

    def calls(self, *names: str) -> list[tuple[SourceFile, ast.Call]]:
        """Return the calls of what has one of these full names, by the imports of each file."""
        last = {name.rpartition(".")[2] for name in names}
        return [
            (file, node)
            for file in self.files.values()
            if any(name in file.text for name in last)
            for node in file.all(ast.Call)
            if file.names(node.func) and file.names(node.func) <= set(names)
        ]

    def partials(self, *names: str) -> list[tuple[SourceFile, ast.Call]]:
        """Return the `partial(function, …)` of what has one of these full names."""
        found = ((file, call, bound_function(call)) for file, call in self.calls(_PARTIAL))
        return [
            (file, call)
            for file, call, bound in found
            if bound is not None and file.names(bound) and file.names(bound) <= set(names)
        ]

    def kept_as(self, file: SourceFile, call: ast.Call) -> set[str]:
        """Return the last names of the variables and attributes that ``call`` is assigned to."""
        return {last_name(target) for target in targets_of(file.parent(call))} - {""}

    def calls_named(self, name: str) -> list[tuple[SourceFile, ast.Call]]:
        """Return the calls of what has that name, in all files, as a function or as a method."""
        return [
            (file, call)
            for file in self.files.values()
            if name and name in file.text
            for call in file.all(ast.Call)
            if last_name(call.func) == name
        ]

    def calls_with(self, keyword_: str) -> Iterator[tuple[SourceFile, ast.Call, ast.expr]]:
        """Yield the calls that are given an argument by that name, each with its file and value."""
        for file in self.files.values():
            for call in file.all(ast.Call) if keyword_ in file.text else ():
                given = keyword(call, keyword_)
                if given is not None:
                    yield file, call, given

    def decorated_with(self, name: str) -> Iterator[tuple[SourceFile, Definition, ast.expr]]:
        """Yield the functions with a decorator of that full name, called or not, and it."""
        for file in self.files.values():
            for function in file.definitions if name.rpartition(".")[2] in file.text else ():
                for decorator in function.decorator_list:
                    if file.names(decorator) == {name}:
                        yield file, function, decorator

    def methods_named(self, name: str) -> list[tuple[SourceFile, ast.Call]]:
        """Return the calls of methods, or of a module's functions, of that name in all files."""
        return [one for one in self.calls_named(name) if isinstance(one[1].func, ast.Attribute)]

    def returned_by(self, name: str) -> list[tuple[SourceFile, ast.expr | None]]:
        """Return what functions of that name return, with their files; None of a bare `return`."""
        return [
            (file, one.value)
            for file, function in self.definitions_of(name)
            for one in file.all(ast.Return)
            if file.function(one) is function
        ]


def _code(compiled: Compile) -> tuple[int, str]:
    return compiled.process, compiled.compile_id.rpartition("/")[0]


def places(found: Sequence[tuple[SourceFile, ast.AST]]) -> str:
    """Return ``train.py:12, data.py:40``, for messages."""
    return ", ".join(file.place(node) for file, node in found[:6])


def _folder(run: Run, *, is_elsewhere: bool) -> Path:
    folders = {found.cwd for found in run.recorded if found.cwd is not None}
    kernels = {found.cwd for found in run.processes if found.cells and found.cwd is not None}
    if not run.recorded and len(kernels) == 1:
        return Path(kernels.pop())  # all that is edited is in the record
    if len(folders) != 1:
        raise RefusedError("a patch needs one run of `ca run`: name its folder")
    folder = folders.pop()
    if folder not in run.source_roots and not is_elsewhere:
        raise RefusedError(
            "this run was not recorded here, or its folder was moved: run it again here"
        )
    return Path(folder)


def _entries(run: Run) -> Iterator[str]:
    """Yield the files that the run names, as it names them, the script first."""
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
