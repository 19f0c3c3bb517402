"""The user's program as syntax trees: the files that took part, and those they import.

Only files that may be read (`files`) are, and only so many. A file that does not parse is left
out: then less is known of the program, and nothing else changes.
"""

from __future__ import annotations

import ast
import builtins
import posixpath
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from ca_engine.lazy_classes import dataclass
from ca_reports.program.bindings import Bindings
from ca_reports.program.files import SourceFiles
from ca_reports.program.positions import Text, nodes_of, parents_in
from ca_reports.program.renaming import original
from ca_reports.program.stack import Frame, is_library_file
from ca_reports.torchlib.containers import MAKES_FIELDS
from ca_reports.words.places import is_cell

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import TypeGuard

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
For: TypeAlias = ast.For | ast.AsyncFor
With: TypeAlias = ast.With | ast.AsyncWith
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
LOOPS = (ast.For, ast.AsyncFor, ast.While)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# What methods call their object or their class, unless a class shows another name.
_RECEIVERS = frozenset(("self", "cls"))
# A program's own files, not a whole repository.
MAX_FILES = 150
MAX_CHARACTERS = 1_000_000
# How far above a file the package may begin that its imports are named from.
_MAX_LEVELS = 6


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """One node of a file's syntax tree."""

    module: Module
    node: ast.expr | ast.stmt

    @property
    def line(self) -> int:
        """Return the line to name: of a call over several lines, the one with what is called."""
        node = self.node
        if isinstance(node, ast.Call):
            return node.func.end_lineno or node.lineno
        return node.lineno

    @property
    def frame(self) -> Frame:
        """Return the site as a line of the run."""
        return self.module.frame(self.line)

    @property
    def scope(self) -> ast.AST:
        """Return the function around it, else the module."""
        return self.module.scope(self.node)

    @property
    def place(self) -> tuple[str, int]:
        """File and line."""
        return self.module.file, self.line


class Module(Text):
    """One file: its tree, and what stands around each of its nodes."""

    def __init__(self, file: str, text: str, tree: ast.Module) -> None:
        """``file`` is named as the log names files."""
        super().__init__(text)
        self.file = file
        self.tree = tree
        # The other cells of a notebook, which bind their names in the same place.
        self.beside: Sequence[Module] = ()
        self._lines = text.splitlines()

    def place(self, node: ast.AST) -> str:
        """Return ``train.py:12``, for messages."""
        return f"{self.file}:{self.lines(node)[0]}"

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """Node → the node that it is a part of."""
        return parents_in(self.tree)

    @cached_property
    def bindings(self) -> Bindings:
        """Return what binds its variables, and where each is read."""
        return Bindings(self.tree)

    @cached_property
    def _imports(self) -> list[ast.Import | ast.ImportFrom]:
        """Return the imports that its names may come from."""
        nodes = (node for one in (*self.beside, self) for node in one.nodes)
        return [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]

    @cached_property
    def library_names(self) -> frozenset[str]:
        """Return the names under which torch, numpy and what is in them are known here."""
        found: set[str] = set()
        for node in self._imports:
            if isinstance(node, ast.Import):
                modules = [(alias.name, alias.asname or alias.name) for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                modules = [(node.module or "", alias.asname or alias.name) for alias in node.names]
            else:
                continue
            found.update(
                name.partition(".")[0]
                for module, name in modules
                if module.partition(".")[0] in _NOT_THE_USERS
            )
        return frozenset(found)

    @cached_property
    def imported_names(self) -> frozenset[str]:
        """Return the names that imports of this file bind."""
        return frozenset(
            (alias.asname or alias.name).partition(".")[0]
            for node in self._imports
            for alias in node.names
        )

    @cached_property
    def imported_modules(self) -> dict[str, str]:
        """Return the names that `import` binds here → the top of the module's own name."""
        return {
            (alias.asname or alias.name).partition(".")[0]: alias.name.partition(".")[0]
            for node in self._imports
            if isinstance(node, ast.Import)
            for alias in node.names
        }

    @cached_property
    def _imported_as(self) -> dict[str, str]:
        """Return the names that imports of this file bind → what they stand for, in full."""
        found: dict[str, str] = {}
        for node in self._imports:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    top = alias.name.partition(".")[0]
                    found[alias.asname or top] = alias.name if alias.asname else top
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        return found

    @cached_property
    def bound_names(self) -> frozenset[str]:
        """Return the names that this file gives to something itself, in whichever function."""
        found: set[str] = set()
        for node in self.nodes:
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                found.add(node.id)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found.add(node.name)
        return frozenset(found)

    def full_name(self, node: ast.expr) -> str:
        """Return ``torch.nn.functional.relu`` of ``F.relu``, ``builtins.min`` of ``min``, or "".

        By the imports of the file: what it binds itself has no full name.
        """
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id in self.bound_names:
            return ""
        root = self._imported_as.get(node.id)
        if root is None:
            return f"builtins.{node.id}" if not parts and hasattr(builtins, node.id) else ""
        return ".".join((root, *reversed(parts)))

    @cached_property
    def assigned_to(self) -> dict[str, list[ast.expr]]:
        """Variable or attribute, by its last name → the values that this file assigns to it."""
        found: dict[str, list[ast.expr]] = {}
        for node in self.nodes:
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    found.setdefault(last_name(target), []).append(node.value)
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                found.setdefault(last_name(node.target), []).append(node.value)
        return found

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Return all nodes."""
        return (self.tree, *self.parents)

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield what ``node`` is a part of, innermost first."""
        parent = self.parents.get(node)
        while parent is not None:
            yield parent
            parent = self.parents.get(parent)

    def scope(self, node: ast.AST) -> ast.AST:
        """Return the function around ``node``, else the module."""
        return next((part for part in self.around(node) if isinstance(part, _FUNCTIONS)), self.tree)

    def owner(self, function: ast.AST) -> ast.ClassDef | None:
        """Return the class that ``function`` is a method of."""
        parent = self.parents.get(function)
        return parent if isinstance(parent, ast.ClassDef) else None

    def named(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
        """Return a function's name, of a method after its class: ``Store.pack``."""
        owner = self.owner(function)
        return function.name if owner is None else f"{owner.name}.{function.name}"

    def class_of_self(self, node: ast.AST) -> ast.ClassDef | None:
        """Return the class whose object `self` is at ``node``, also within a method's function."""
        for function in (node, *self.around(node)):
            owner = self.owner(function) if isinstance(function, _FUNCTIONS) else None
            if owner is not None:
                return owner
        return None

    def receiver(self, function: FunctionNode) -> str:
        """Return what a method calls its object or class, mostly `self`; empty for a function.

        A function outside of a class that begins with `self` or `cls` becomes a method.
        """
        first, *_ = (*parameters_of(function, by_place=True), "")
        is_method = self.owner(function) is not None and not (
            isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
            and "staticmethod" in map(last_name, function.decorator_list)
        )
        return first if is_method or first in _RECEIVERS else ""

    def own_parameters(self, function: FunctionNode) -> list[str]:
        """Return the parameters that are given by place, without the one of the object itself."""
        names = parameters_of(function, by_place=True)
        return names[1:] if self.receiver(function) else names

    def is_receiver(self, node: ast.AST | None) -> bool:
        """Return whether ``node`` is `self`, or what the method around it calls its object."""
        if not isinstance(node, ast.Name):
            return False
        for function in self.around(node):
            if isinstance(function, _FUNCTIONS) and node.id in parameters_of(function):
                return node.id == self.receiver(function)
        return node.id in _RECEIVERS

    def is_own_attribute(self, node: ast.AST | None, name: str) -> bool:
        """Return whether ``node`` is `self.name`, whatever the method calls its object."""
        return (
            isinstance(node, ast.Attribute) and node.attr == name and self.is_receiver(node.value)
        )

    def scope_at(self, line: int) -> ast.AST:
        """Return the innermost function that ``line`` is in, else the module."""
        best: ast.AST = self.tree
        for function in self.functions:
            if _first_line(function) <= line <= (function.end_lineno or function.lineno):
                best = function  # in walking order inner ones come later
        return best

    def statement_at(self, line: int) -> ast.stmt | None:
        """Return the innermost statement that ``line`` is in."""
        return self._statements.get(line)

    @cached_property
    def _statements(self) -> dict[int, ast.stmt]:
        """Return each line → the innermost statement that it is in."""
        return {
            line: node
            for node in self.nodes  # outer ones first
            if isinstance(node, ast.stmt)
            for line in range(_first_line(node), (node.end_lineno or 0) + 1)
        }

    @cached_property
    def functions(self) -> tuple[FunctionNode, ...]:
        """Return functions and lambdas, outer ones first."""
        return tuple(node for node in self.nodes if isinstance(node, _FUNCTIONS))

    def frame(self, line: int) -> Frame:
        """Line ``line`` as a frame."""
        code = self._lines[line - 1].strip() if 0 < line <= len(self._lines) else ""
        return Frame(self.file, line, scope_name(self.scope_at(line)), code)


def put_beside(modules: Mapping[str, Module]) -> None:
    """Let the cells of a notebook among ``modules``, by their names, know each other."""
    cells = {file: module for file, module in modules.items() if is_cell(file)}
    for file, module in cells.items():
        module.beside = [other for name, other in cells.items() if name != file]


class Program:
    """The files of a run, parsed."""

    def __init__(self, files: SourceFiles, entries: Iterable[str]) -> None:
        """Read ``entries``, as the log names them, and what they import."""
        self._files = files
        self._left = MAX_CHARACTERS
        self.modules: dict[str, Module] = {}
        # A log may name a script relatively and its modules absolutely: each is to be there once.
        known: set[tuple[str, str | None]] = set()
        waiting = [file for file in dict.fromkeys(entries) if not _is_installed(file)]
        # Those that the log names; the others are imported by them.
        self.named = frozenset(waiting)
        named = len(waiting)
        while waiting and len(self.modules) < MAX_FILES:
            file = waiting.pop(0)
            named -= 1
            identity = (posixpath.basename(file.replace("\\", "/")), files.text(file))
            if file in self.modules or (named < 0 and identity in known):
                continue
            known.add(identity)
            module = self._read(file)
            if module is not None:
                self.modules[file] = module
                is_moved = not files.has(file, moved=False)
                waiting += _imported(module, partial(self._is_file, moved=is_moved))
                if is_cell(file):
                    waiting += files.cells
        put_beside(self.modules)

    @classmethod
    def of(cls, modules: Mapping[str, Module]) -> Program:
        """Return the program that ``modules`` are, by their names, and nothing that they import."""
        found = cls(SourceFiles(()), ())
        found.modules = dict(modules)
        found.named = frozenset(modules)
        return found

    def _is_file(self, file: str, *, moved: bool) -> bool:
        return self._files.has(file, moved=moved)

    def at(self, frame: Frame | None) -> Site | None:
        """Find the statement at ``frame``; None if its file is not known, or is another version."""
        module = None if frame is None else self.modules.get(frame.file)
        if frame is None or module is None:
            return None
        said = module.frame(frame.line).code
        if frame.code and said != frame.code and frame.code not in said:
            return None
        statement = module.statement_at(frame.line)
        return None if statement is None else Site(module, statement)

    def runs(self, frame: Frame, function: Frame) -> bool:
        """Return whether a frame is of ``function``, and not of another of its name in the file."""
        return is_of_function(frame, function, self.modules.get(frame.file))

    def sites(self, *kinds: type[ast.expr | ast.stmt]) -> list[Site]:
        """Find all nodes of these kinds."""
        return [site for kind in kinds for site in self._by_kind.get(kind, ())]

    @cached_property
    def _by_kind(self) -> dict[type[ast.AST], list[Site]]:
        found: dict[type[ast.AST], list[Site]] = {}
        for module in self.modules.values():
            for node in module.nodes:
                if isinstance(node, ast.expr | ast.stmt):
                    found.setdefault(type(node), []).append(Site(module, node))
        return found

    def reads(self, name: str) -> list[Site]:
        """Return where a variable or attribute called ``name`` is read."""
        return self._reads.get(name, [])

    @cached_property
    def _reads(self) -> dict[str, list[Site]]:
        found: dict[str, list[Site]] = {}
        for site in self.sites(ast.Name, ast.Attribute):
            node = site.node
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                found.setdefault(last_name(node), []).append(site)
        return found

    def calls(self, *names: str) -> list[Site]:
        """Find the calls of functions or methods of these names."""
        return [site for name in names for site in self.all_calls.get(name, ())]

    def methods_of(self, variables: Collection[str], *names: str) -> list[Site]:
        """Return the calls of methods of these ``names`` on what one of ``variables`` names."""
        return [
            call
            for call in self.calls(*names)
            if isinstance(call.node, ast.Call)
            and isinstance(call.node.func, ast.Attribute)
            and last_name(call.node.func.value) in variables
        ]

    def by_text(self, function: str, name: str) -> list[Site]:
        """Return the calls of `setattr`, or such a ``function``, that give an attribute's name."""
        return [
            call
            for call in self.calls(function)
            for given in getattr(call.node, "args", ())[1:2]
            if is_text(given, name)
        ]

    @cached_property
    def all_calls(self) -> dict[str, list[Site]]:
        """Return all calls by the last name called; `cls(…)` by the name of its class."""
        found: dict[str, list[Site]] = {}
        for site in self.sites(ast.Call):
            if isinstance(site.node, ast.Call) and (name := self.called(site)):
                found.setdefault(name, []).append(site)
        return found

    def called(self, site: Site) -> str:
        """Return the name of what a call runs: ``Batch`` of ``cls(…)`` in a class method of it."""
        assert isinstance(site.node, ast.Call)
        made = site.node.func
        is_type = isinstance(made, ast.Call) and ast.unparse(made) == "type(self)"
        is_own_class = is_type or last_name(made) in ("cls", "__class__")
        if not is_own_class:
            return called_name(site.node)
        around = site.module.around(site.node)
        owner = next((each for each in around if isinstance(each, ast.ClassDef)), None)
        return called_name(site.node) if owner is None else owner.name

    @cached_property
    def functions(self) -> dict[str, list[Site]]:
        """Return functions by name."""
        found: dict[str, list[Site]] = {}
        for site in self.sites(ast.FunctionDef, ast.AsyncFunctionDef):
            found.setdefault(scope_name(site.node), []).append(site)
        return found

    @cached_property
    def classes(self) -> dict[str, list[Site]]:
        """Return classes by name."""
        found: dict[str, list[Site]] = {}
        for site in self.sites(ast.ClassDef):
            if isinstance(site.node, ast.ClassDef):
                found.setdefault(site.node.name, []).append(site)
        return found

    @cached_property
    def named_tuples(self) -> dict[str, list[str]]:
        """Return the fields that `namedtuple("Name", …)` and `NamedTuple("Name", …)` make."""
        found: dict[str, list[str]] = {}
        for site in self.sites(ast.Assign):
            assert isinstance(site.node, ast.Assign)
            value = site.node.value
            if isinstance(value, ast.Call) and called_name(value) in MAKES_FIELDS:
                fields = _written_fields(value)
                found.update((last_name(target), fields) for target in site.node.targets)
        return found

    def is_of_a_library(self, call: ast.Call, module: Module) -> bool:
        """Return whether ``call`` is of a module that is imported, and none of the program's."""
        imported = module.imported_modules.get(root_name(call.func))
        return imported is not None and imported not in self._names

    @cached_property
    def _names(self) -> frozenset[str]:
        """Return the names of the files and of the folders that they are in."""
        files = (file.replace("\\", "/").removesuffix(".py") for file in self.modules)
        return frozenset(name for file in files for name in file.split("/"))

    def method(self, owner: str, *names: str) -> list[Site]:
        """Find the methods of these names of classes called ``owner``, inherited ones included."""
        found: list[Site] = []
        seen: set[str] = set()
        waiting = [owner]
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            for site in self.classes.get(name, ()):
                assert isinstance(site.node, ast.ClassDef)
                own = [
                    Site(site.module, node)
                    for node in site.node.body
                    if isinstance(node, ast.FunctionDef) and node.name in names
                ]
                found += own
                if not own:
                    waiting += filter(None, map(last_name, site.node.bases))
        return found

    def _read(self, file: str) -> Module | None:
        text = self._files.text(file)
        if text is None or len(text) > self._left:
            return None
        self._left -= len(text)
        tree = self._files.tree(text)
        return None if tree is None else Module(file, text, tree)


def _first_line(node: ast.expr | ast.stmt) -> int:
    """Return where ``node`` begins: a function at its decorators, as in its code object."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return min([node.lineno, *(each.lineno for each in node.decorator_list)])
    return node.lineno


def _written_fields(call: ast.Call) -> list[str]:
    """List the fields of ``state action``, ``["state", "action"]``, ``[("state", Tensor), …]``."""
    given = call.args[1] if len(call.args) > 1 else None
    if isinstance(given, ast.Constant) and isinstance(given.value, str):
        return given.value.replace(",", " ").split()
    each = given.elts if isinstance(given, ast.List | ast.Tuple) else []
    names = [one.elts[0] if isinstance(one, ast.Tuple) and one.elts else one for one in each]
    return [str(one.value) for one in names if isinstance(one, ast.Constant)]


def sets_computed_name(call: ast.Call) -> bool:
    """Return whether a call of `setattr` works out the attribute's name, as from a loop's."""
    return len(call.args) > 1 and not isinstance(call.args[1], ast.Constant)


def scope_name(node: ast.AST) -> str:
    """Return ``forward``, ``<lambda>`` or ``<module>``."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return node.name
    return "<lambda>" if isinstance(node, ast.Lambda) else "<module>"


def function_name(function: ast.AST) -> str:
    """Return a function's name; of a lambda its place in a file, which is as good."""
    if isinstance(function, ast.Lambda):
        return f"<lambda {id(function)}>"
    return scope_name(function)


def last_name(node: ast.AST) -> str:
    """Return ``c`` of ``a.b.c``; empty for what is neither a name nor an attribute.

    Of a name that was imported under another one, what it is called where it comes from.
    """
    if isinstance(node, ast.Attribute):
        return node.attr
    return original(node) if isinstance(node, ast.Name) else ""


def root_of(node: ast.expr) -> ast.expr:
    """Return ``rows`` of ``rows[i].width``: what the attributes and entries are of."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node


def container_of(node: ast.expr) -> ast.expr:
    """Return ``self.keys`` of ``self.keys[layer]``, however deep: what is added to is the whole."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node


def root_name(node: ast.expr) -> str:
    """Return ``a`` of ``a.b.c``; empty where no name begins it."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def base_name(node: ast.expr) -> str:
    """Return ``rows`` of ``rows[i].norm().data``, through calls and keys; empty of no name."""
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def called_name(call: ast.Call) -> str:
    """Return the last name called: ``heads`` of ``self.heads(x)``, ``self.heads[task](x)``.

    What `getattr(self, name)(x)` calls has that text for its name; empty for what has none.
    """
    called = call.func
    if is_by_name(called):
        return ast.unparse(called)
    return last_name(called.value if isinstance(called, ast.Subscript) else called)


def is_by_name(node: ast.AST) -> TypeGuard[ast.Call]:
    """Return whether ``node`` is `getattr(self, name)`, which takes an attribute by a value."""
    return isinstance(node, ast.Call) and last_name(node.func) == "getattr" and len(node.args) > 1


def bound_function(node: ast.AST | None) -> ast.expr | None:
    """Return the function of `partial(function, …)`; None of anything else."""
    if not isinstance(node, ast.Call) or last_name(node.func) != "partial":
        return None
    return node.args[0] if node.args else None


def callee_of(call: ast.Call) -> ast.expr:
    """Return what ``call`` runs, or what the `partial` that it makes runs later."""
    return bound_function(call) or call.func


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    """Return the argument given as ``name=``."""
    return next((given.value for given in call.keywords if given.arg == name), None)


def parameters_of(function: FunctionNode, *, by_place: bool = False) -> list[str]:
    """Return the names of the parameters but `*` and `**` ones; ``by_place`` without those after.

    In their order; also ``self``.
    """
    given = function.args
    every = [*given.posonlyargs, *given.args]
    return [one.arg for one in (every if by_place else [*every, *given.kwonlyargs])]


def default_of(function: FunctionNode, name: str) -> ast.expr | None:
    """Return the default of a parameter; None if it has none."""
    given = function.args
    every = [*given.posonlyargs, *given.args]
    count = len(given.defaults)
    pairs = [*zip(every[len(every) - count :], given.defaults, strict=True)]
    pairs += [
        (one, default)
        for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
        if default is not None
    ]
    return next((default for one, default in pairs if one.arg == name), None)


def targets_of(node: ast.AST | None) -> list[ast.expr]:
    """Return what an assignment or a loop assigns to; empty for other nodes."""
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign | ast.AugAssign | ast.For) else []


def is_constant(node: ast.AST | None, value: object) -> bool:
    """Return whether ``node`` is the literal ``value``."""
    return isinstance(node, ast.Constant) and node.value is value


def is_text(node: ast.AST | None, text: str) -> bool:
    """Return whether ``node`` is the literal ``text``."""
    return isinstance(node, ast.Constant) and node.value == text


def is_entry_of(node: ast.AST | None, key: str) -> bool:
    """Return whether ``node`` is the entry of a dict that has this ``key``: ``group["params"]``."""
    return isinstance(node, ast.Subscript) and is_text(node.slice, key)


def keys_of(node: ast.Subscript) -> list[ast.expr]:
    """Return the parts of what is in the brackets: ``:`` and ``-1`` of ``x[:, -1]``."""
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def parts_of(node: ast.expr) -> list[ast.expr]:
    """Return the parts of ``a, b`` and ``[a, b]``; anything else alone."""
    return node.elts if isinstance(node, ast.Tuple | ast.List) else [node]


def given_to(call: ast.Call) -> list[ast.expr]:
    """Return all that a call is given, by place and by name."""
    return [*call.args, *(one.value for one in call.keywords)]


def is_of_function(frame: Frame, function: Frame, module: Module | None) -> bool:
    """Return whether a frame is of ``function``, and not of another of its name in the file.

    The methods of two classes have one name: `forward`. Without the file's ``module`` names decide.
    """
    if (frame.file, frame.function) != (function.file, function.function):
        return False
    return module is None or module.scope_at(frame.line) is module.scope_at(function.line)


def is_starred(call: ast.Call) -> bool:
    """Return whether ``call`` takes arguments from a list or a dict."""
    return any(isinstance(one, ast.Starred) for one in call.args) or any(
        one.arg is None for one in call.keywords
    )


def is_slice(node: ast.AST) -> bool:
    """Return whether ``node`` is `kept[:, -length:]`."""
    return isinstance(node, ast.Subscript) and any(
        isinstance(part, ast.Slice) for part in nodes_of(node.slice)
    )


def names_in(node: ast.AST) -> set[str]:
    """Return the variables and attributes that are read in ``node``, by their last names."""
    return {
        last_name(part)
        for part in nodes_of(node)
        if isinstance(part, ast.Name | ast.Attribute) and isinstance(part.ctx, ast.Load)
    }


def _is_installed(file: str) -> bool:
    return is_library_file(file) or "-packages/" in file.replace("\\", "/")


def _imported(module: Module, is_file: Callable[[str], bool]) -> Iterator[str]:
    """Yield the files of the modules that ``module`` imports, as far as ``is_file`` knows them."""
    above = [posixpath.dirname(module.file.replace("\\", "/"))]
    while len(above) < _MAX_LEVELS and posixpath.dirname(above[-1]) not in ("", above[-1]):
        above.append(posixpath.dirname(above[-1]))
    for node in module.nodes:
        names: list[str] = []
        folders = above
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            folders = above[node.level - 1 : node.level] if node.level else above
            base = f"{node.module}." if node.module else ""
            names = [base.rstrip("."), *(f"{base}{alias.name}" for alias in node.names)]
        for name in names:
            path = name.replace(".", "/")
            if not path or name.endswith("*") or name.partition(".")[0] in _NOT_THE_USERS:
                continue
            files = (posixpath.join(folder, path + end) for folder in folders for end in _ENDS)
            yield from islice(filter(is_file, files), 1)


_ENDS = (".py", "/__init__.py")
_NOT_THE_USERS = frozenset(("torch", "numpy", "__future__", "typing", "collections"))
