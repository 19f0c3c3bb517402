"""Finds the code that a training step runs, and where its values come from.

Python is not run here, so calls and variables are followed by name: `model(x)` leads to the
`forward` of the class that `model` was made of, a parameter to the arguments of its callers,
an attribute to whatever is assigned to an attribute of that name.
"""

from __future__ import annotations

import ast
from collections import deque
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from ca_reports.source.calls import (
    bound_arguments,
    calls_of,
    fields_of,
    handed_over,
    registered,
)
from ca_reports.source.program import (
    Module,
    Site,
    called_name,
    keyword,
    last_name,
    names_in,
    scope_name,
)
from ca_reports.stack import in_torch, is_installed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ca_reports.model import Frame
    from ca_reports.source.program import Program

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)
# What a call of an object runs.
ENTRIES = ("forward", "__call__", "training_step", "__iter__", "__next__", "__getitem__")
_PARTIAL = "partial"
# What a function gives back, among the names of variables.
_RESULT = "{}()"
_MAX_STEPS = 600
_MAX_DEPTH = 14


@dataclass(frozen=True, slots=True)
class _Region:
    """Code that runs: a whole function, or what is below ``nodes`` of a loop."""

    module: Module
    nodes: tuple[ast.AST, ...]
    distance: int


@dataclass(frozen=True, slots=True)
class Given:
    """Return what callers give for a parameter, each with its key in a ``**`` dictionary.

    ``is_left_out`` where some caller gives nothing, or nothing that is seen.
    """

    found: list[tuple[Site, tuple[str, ...]]]
    default: Site | None
    is_left_out: bool


def _comprehensions(site: Site, function: str) -> list[Site]:
    """The comprehensions of a statement in which ``function`` is called, innermost first."""
    return [
        Site(site.module, node)
        for node in reversed(list(ast.walk(site.node)))
        if isinstance(node, _COMPREHENSIONS)
        and any(
            isinstance(part, ast.Call) and called_name(part) == function for part in ast.walk(node)
        )
    ]


class Flow:
    """The code around one stack: the loop that takes the steps, and what it calls."""

    def __init__(self, program: Program, stack: Sequence[Frame]) -> None:
        """``stack`` holds the frames of a backward or compile, outermost first."""
        self.program = program
        self.stack = stack

    @cached_property
    def loops(self) -> tuple[Site, ...]:
        """The loops around the calls of the stack, outermost first."""
        found: list[Site] = []
        for frame, below in zip(self.stack, (*self.stack[1:], None), strict=True):
            site = self.program.at(frame)
            if site is None:
                continue
            inner: list[Site] = []
            if below is not None and isinstance(site.node, _SIMPLE):
                inner += _comprehensions(site, below.function)
            for part in (site.node, *site.module.around(site.node)):
                if isinstance(part, _LOOPS):
                    inner.append(Site(site.module, part))
                if part is site.module.scope_at(frame.line):
                    break
            found += reversed(inner)
        return tuple(found)

    @cached_property
    def distances(self) -> dict[ast.AST, int]:
        """Node → how many calls away from the stack it runs, of code that runs in each step."""
        return self._walk(self._starts(in_loop=True))

    @cached_property
    def _distances_of_all(self) -> dict[ast.AST, int]:
        return self._walk(self._starts(in_loop=False))

    def distance(self, site: Site) -> tuple[int, int]:
        """Return how near ``site`` is to the steps: inside their loop first, then by calls."""
        if site.node in self.distances:
            return 0, self.distances[site.node]
        return 1, self._distances_of_all.get(site.node, _MAX_DEPTH)

    def is_in_steps(self, site: Site) -> bool:
        """Return whether ``site`` runs in each step, or may."""
        return site.node in self.distances

    def nearest(self, sites: Iterable[Site]) -> list[Site]:
        """Those of ``sites`` that are nearest to the steps."""
        measured = [(self.distance(site), site) for site in sites]
        least = min((far for far, _ in measured), default=None)
        return [site for far, site in measured if far == least]

    def in_steps(self, sites: Iterable[Site]) -> list[Site]:
        """Those of ``sites`` that run in each step; all of them if none does."""
        every = list(sites)
        return [site for site in every if self.is_in_steps(site)] or every

    def _starts(self, *, in_loop: bool) -> list[_Region]:
        found: list[_Region] = self._called_back() if in_loop and not self.loops else []
        is_in_loop = bool(found)
        for frame in self.stack[self._entry :] if found else self.stack:
            site = self.program.at(frame)
            if site is None:
                continue
            module = site.module
            scope = module.scope_at(frame.line)
            loops = [loop for loop in self.loops if loop.module is module and loop.scope is scope]
            if is_in_loop or not in_loop:
                found.append(_Region(module, (scope,), 0))
            elif loops:
                found.append(_Region(module, (loops[0].node,), 0))
                is_in_loop = True
        if not found and in_loop:
            return self._starts(in_loop=False)
        return found

    @cached_property
    def _entry(self) -> int:
        """Where in the stack a library that runs the loop calls the user's code; 0: nowhere."""
        is_library = [is_installed(frame.file) and not in_torch(frame.file) for frame in self.stack]
        return next(
            (
                place
                for place, (before, here) in enumerate(pairwise(is_library), 1)
                if before and not here and self.program.at(self.stack[place]) is not None
            ),
            0,
        )

    def _called_back(self) -> list[_Region]:
        """The functions that a library which runs the loop calls in its steps."""
        if not self._entry:
            return []
        return [
            _Region(site.module, (site.node,), 1)
            for name, sites in self.program.functions.items()
            if name.startswith("on_") or name in ENTRIES
            for site in sites
            if site.module.owner(site.node) is not None
        ]

    def _walk(self, waiting: list[_Region]) -> dict[ast.AST, int]:
        found: dict[ast.AST, int] = {}
        queue = deque(waiting)
        while queue:
            region = queue.popleft()
            for start in region.nodes:
                for node in ast.walk(start):
                    if node in found:
                        continue
                    found[node] = region.distance
                    if isinstance(node, ast.Call) and region.distance < _MAX_DEPTH:
                        queue += [
                            _Region(called.module, (called.node,), region.distance + 1)
                            for called in self.callees(node)
                            if called.node not in found
                        ]
                    elif isinstance(node, _LOOPS) and not isinstance(node, ast.While):
                        queue += [
                            _Region(called.module, (called.node,), region.distance + 1)
                            for name in names_in(node.iter)
                            for owner in self._made_of(name)
                            for called in self.program.method(owner, *ENTRIES[3:])
                        ]
                        queue += [
                            _Region(called.module, (called.node,), region.distance + 1)
                            for called in self.collating
                        ]
        return found

    @cached_property
    def collating(self) -> tuple[Site, ...]:
        """The functions that make a loader's, or a trainer's, batches of samples."""
        names = {
            last_name(given.func if isinstance(given, ast.Call) else given)
            for call in self.program.sites(ast.Call)
            if isinstance(call.node, ast.Call)
            for argument in ("collate_fn", "data_collator")
            if (given := keyword(call.node, argument)) is not None
        }
        return tuple(
            site
            for name in sorted(names)
            for site in (
                *self.program.functions.get(name, ()),
                *self.program.method(name, "__call__"),
            )
        )

    def callees(self, call: ast.Call) -> list[Site]:
        """The functions of the program that ``call`` may run."""
        name = called_name(call)
        if not name:
            return []
        found = list(self.program.functions.get(name, ()))
        for held in self._held.get(name, ()):
            found += self.program.functions.get(held, ())
            found += [self._lambdas[held]] if held in self._lambdas else []
        if name in self.program.classes:
            found += self.program.method(name, "__init__")
        for owner in self._made_of(name):
            found += self.program.method(owner, *ENTRIES)
        return found

    def _made_of(self, name: str) -> set[str]:
        """The classes whose objects a variable or attribute called ``name`` may hold."""
        if name not in self._known_classes:
            seen: set[str] = set()
            waiting = [name]
            while waiting and len(seen) < _MAX_STEPS:
                one = waiting.pop()
                if one not in seen:
                    seen.add(one)
                    waiting += self._mentioned.get(one, ())
            self._known_classes[name] = {one for one in seen if one in self.program.classes}
        return self._known_classes[name]

    @cached_property
    def _known_classes(self) -> dict[str, set[str]]:
        return {}

    @cached_property
    def _mentioned(self) -> dict[str, set[str]]:
        """Variable or attribute → the names in what is assigned to it, or looped over for it."""
        found: dict[str, set[str]] = {}
        for site in self.program.sites(
            ast.Assign, ast.AnnAssign, ast.For, ast.AsyncFor, ast.FunctionDef
        ):
            node = site.node
            if isinstance(node, ast.FunctionDef):
                for given in ast.walk(node):
                    if isinstance(given, ast.Return) and given.value is not None:
                        found.setdefault(node.name, set()).update(names_in(given.value))
                for argument in node.args.args:
                    if argument.annotation is not None:
                        known = found.setdefault(argument.arg, set())
                        known.update(names_in(argument.annotation))
                continue
            value, targets = _bound(node)
            if value is None:
                continue
            for target in targets:
                found.setdefault(target, set()).update(names_in(value))
        for owner in self.program.classes:
            fields = fields_of(self.program, owner)
            for call in self.program.calls(owner):
                for name, given in bound_arguments(call.node, fields):
                    found.setdefault(name, set()).update(names_in(given))
        return found

    @cached_property
    def _variables(self) -> frozenset[str]:
        """The variables and attributes that something is assigned to."""
        sites = self.program.sites(ast.Assign, ast.AnnAssign, ast.For, ast.AsyncFor)
        return frozenset(name for site in sites for name in _bound(site.node)[1])

    @cached_property
    def _held(self) -> dict[str, set[str]]:
        """Variable → the functions that it may hold: ``path = choice([self.short, self.long])``.

        Also by way of tables, of fields, and of what functions give back.
        """
        found: dict[str, set[str]] = {}
        behind: dict[str, set[str]] = {}
        known = {*self.program.functions, *self._lambdas}
        for target, value, module in self._handed_on():
            mentioned, called = _mentions(value, module)
            found.setdefault(target, set()).update(mentioned & known)
            behind.setdefault(target, set()).update(
                mentioned.difference(known), map(_RESULT.format, called.intersection(known))
            )
        for name, function in (*registered(self.program), *handed_over(self.program)):
            found.setdefault(name, set()).add(function)
        return _followed(found, behind)

    def _handed_on(self) -> Iterator[tuple[str, ast.AST, Module]]:
        """Yield (variable, value): what is assigned, looped over, given to a field, returned."""
        for site in self.program.sites(ast.Assign, ast.AnnAssign, ast.For):
            value, targets = _bound(site.node)
            if value is not None:
                yield from ((target, value, site.module) for target in targets)
        for owner in self.program.classes:
            fields = fields_of(self.program, owner)
            for call in self.program.calls(owner):
                for name, given in bound_arguments(call.node, fields):
                    yield name, given, call.module
        for name, functions in self.program.functions.items():
            for function in functions:
                for result in _results(function):
                    yield _RESULT.format(name), result.node, function.module

    @cached_property
    def _lambdas(self) -> dict[str, Site]:
        return {_function_name(site.node): site for site in self.program.sites(ast.Lambda)}

    # Where values come from

    def feeding(self, start: Site) -> Iterator[Site]:
        """The expressions that ``start`` is made of, nearest first, through calls and variables."""
        queue = deque([(start, 0)])
        seen: set[ast.AST] = set()
        while queue and len(seen) < _MAX_STEPS:
            site, depth = queue.popleft()
            if site.node in seen:
                continue
            seen.add(site.node)
            yield site
            if depth < _MAX_DEPTH:
                queue += [(found, depth + 1) for found in self._before(site)]

    def _before(self, site: Site) -> Iterator[Site]:
        node, module = site.node, site.module
        if isinstance(node, ast.Name):
            yield from self.assigned(node.id, site)
            return
        if isinstance(node, ast.Attribute):
            found = [
                Site(other.module, value) for other, value in self._attributes.get(node.attr, ())
            ]
            yield from found
            yield Site(module, node.value)
            return
        if isinstance(node, ast.Call):
            for called in self.callees(node):
                yield from _results(called)
            for called in self.program.method(called_name(node), *ENTRIES[3:]):
                yield from _results(called)
            if isinstance(node.func, ast.Attribute):
                yield Site(module, node.func.value)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield Site(module, child)
            elif isinstance(child, ast.keyword):
                yield Site(module, child.value)
            elif isinstance(child, ast.comprehension):
                yield Site(module, child.iter)

    def assigned(self, name: str, at: Site) -> list[Site]:
        """Return what variable ``name`` may hold at ``at``: values assigned, arguments given."""
        module = at.module
        scope = module.scope(at.node)
        while True:
            found = [
                Site(module, value)
                for node in ast.walk(scope)
                for value, targets in [_bound(node)]
                if value is not None and name in targets
            ]
            if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
                given = self.arguments(Site(module, scope), name)
                found += [] if given is None else [site for site, _ in given.found]
            if found or scope is module.tree:
                break
            scope = module.scope(scope)
        if not found:
            found = [
                Site(other, value)
                for other in self.program.modules.values()
                if other is not module
                for node in other.tree.body
                for value, targets in [_bound(node)]
                if value is not None and name in targets
            ]
        return found

    def arguments(self, function: Site, parameter: str) -> Given | None:
        """Return what callers give for ``parameter``; None if ``function`` has none such."""
        assert isinstance(function.node, ast.FunctionDef | ast.AsyncFunctionDef)
        arguments = function.node.args
        names = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
        if parameter not in names and parameter not in [each.arg for each in arguments.kwonlyargs]:
            return None
        default = _default(arguments, parameter)
        owner = function.module.owner(function.node)
        if owner is not None and names[:1] in (["self"], ["cls"]):
            names = names[1:]
        position = names.index(parameter) if parameter in names else None
        found: list[tuple[Site, tuple[str, ...]]] = []
        is_left_out = False
        for call in self.callers(function):
            assert isinstance(call.node, ast.Call)
            part: tuple[str, ...] = ()
            given = keyword(call.node, parameter)
            if given is None and position is not None:
                is_partial = called_name(call.node) == _PARTIAL
                own = call.node.args[1:] if is_partial else call.node.args
                given = _at(own, position, len(names))
            if given is None:  # model(**batch)
                given = next((one.value for one in call.node.keywords if one.arg is None), None)
                part = (parameter,)
            if given is None:
                is_left_out = True
            else:
                found.append((Site(call.module, given), part))
        known = None if default is None else Site(function.module, default)
        return Given(found, known, is_left_out)

    def callers(self, function: Site) -> list[Site]:
        """The calls that may run ``function``, those of each step first."""
        if function.node not in self._known_callers:
            name = _function_name(function.node)
            owner = function.module.owner(function.node)
            found: list[Site] = []
            for called, calls in self.program.all_calls.items():
                runs_object = (
                    owner is not None
                    and name in ENTRIES
                    and called not in self.program.classes
                    and (called not in self.program.functions or called in self._variables)
                    and owner.name in self._made_of(called)
                )
                makes = name == "__init__" and owner is not None and called == owner.name
                holds = name in self._held.get(called, ())
                if called == name or runs_object or makes or holds:
                    found += calls
            known = {call.node for call in found}
            found += [
                call for call in self._stacked.get(function.node, ()) if call.node not in known
            ]
            found += [
                call
                for call in self.program.calls(_PARTIAL)
                if isinstance(call.node, ast.Call)
                and call.node.args
                and (held := last_name(call.node.args[0]))
                and (held == name or name in self._held.get(held, ()))
            ]
            found.sort(key=self.distance)
            self._known_callers[function.node] = found
        return self._known_callers[function.node]

    @cached_property
    def _known_callers(self) -> dict[ast.AST, list[Site]]:
        return {}

    @cached_property
    def _stacked(self) -> dict[ast.AST, list[Site]]:
        """Function of the stack → its call there, also of an object whose class is not known."""
        return calls_of(self.program, self.stack)

    @cached_property
    def _attributes(self) -> dict[str, list[tuple[Site, ast.expr]]]:
        found: dict[str, list[tuple[Site, ast.expr]]] = {}
        for site, target, value in self.attribute_changes:
            if value is not None:
                found.setdefault(target.attr, []).append((site, value))
        for site in self.program.sites(ast.Assign):
            assert isinstance(site.node, ast.Assign)
            for item in site.node.targets:
                if isinstance(item, ast.Subscript) and isinstance(item.value, ast.Attribute):
                    found.setdefault(item.value.attr, []).append((site, site.node.value))
        for owner in self.program.classes:
            if self.program.method(owner, "__init__"):
                continue
            fields = fields_of(self.program, owner)
            for call in self.program.calls(owner):
                for name, given in bound_arguments(call.node, fields):
                    found.setdefault(name, []).append((call, given))
        return found

    @cached_property
    def attribute_changes(self) -> list[tuple[Site, ast.Attribute, ast.expr | None]]:
        """Assignments to attributes: the statement, the attribute, what it gets."""
        return [
            (site, part, getattr(site.node, "value", None))
            for site in self.program.sites(ast.Assign, ast.AnnAssign, ast.AugAssign)
            for target in targets_of(site.node)
            for part in (target.elts if isinstance(target, ast.Tuple) else [target])
            if isinstance(part, ast.Attribute)
        ]


def _function_name(function: ast.AST) -> str:
    """The name of a function; of a lambda its place in a file, which is as good as its own."""
    if isinstance(function, ast.Lambda):
        return f"<lambda {id(function)}>"
    return scope_name(function)


def _mentions(value: ast.AST, module: Module) -> tuple[set[str], set[str]]:
    """The names in ``value``, lambdas among them, and apart from these what it calls."""
    mentioned: set[str] = set()
    called: set[str] = set()
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.Lambda):
            mentioned.add(_function_name(part))
            continue
        if isinstance(part, ast.Name | ast.Attribute):
            parent = module.parents[part]
            is_called = isinstance(parent, ast.Call) and parent.func is part
            (called if is_called else mentioned).add(last_name(part))
        waiting += ast.iter_child_nodes(part)
    return mentioned, called


def _followed(found: dict[str, set[str]], behind: dict[str, set[str]]) -> dict[str, set[str]]:
    """What each variable holds by way of others."""
    is_growing = True
    while is_growing:
        is_growing = False
        for name, others in behind.items():
            own = found.setdefault(name, set())
            more = {each for other in others for each in found.get(other, ())} - own
            if more:
                own |= more
                is_growing = True
    return {name: functions for name, functions in found.items() if functions}


def targets_of(node: ast.AST) -> list[ast.expr]:
    """Return what an assignment or a loop assigns to; empty for other nodes."""
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign | ast.AugAssign | ast.For) else []


def _default(arguments: ast.arguments, parameter: str) -> ast.expr | None:
    """The default of ``parameter``."""
    ordered = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(ordered) - len(arguments.defaults)) + arguments.defaults
    by_name = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    for each, default in (*zip(ordered, defaults, strict=True), *by_name):
        if each.arg == parameter:
            return default
    return None


def _at(arguments: list[ast.expr], position: int, parameters: int) -> ast.expr | None:
    """The argument for the parameter at ``position``; counted from the end behind a ``*xs``."""
    starred = [at for at, each in enumerate(arguments) if isinstance(each, ast.Starred)]
    if starred and starred[0] <= position:
        place = position - parameters + len(arguments)
        given = arguments[place] if starred[-1] < place < len(arguments) else arguments[starred[0]]
        return given.value if isinstance(given, ast.Starred) else given
    return arguments[position] if position < len(arguments) else None


def _bound(node: ast.AST) -> tuple[ast.expr | None, list[str]]:
    """Return what ``node`` binds, and the names that it binds it to."""
    targets: list[ast.expr] = []
    value: ast.expr | None = None
    if isinstance(node, ast.Assign):
        value, targets = node.value, node.targets
    elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
        value, targets = node.value, [node.target]
    elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
        value, targets = node.iter, [node.target]
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        value, targets = node.context_expr, [node.optional_vars]
    return value, [
        last_name(part)
        for target in targets
        for part in ast.walk(target)
        if isinstance(part, ast.Name | ast.Attribute) and isinstance(part.ctx, ast.Store)
    ]


def _results(function: Site) -> Iterator[Site]:
    """Yield what ``function`` returns or yields."""
    for node in ast.walk(function.node):
        if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) and node.value is not None:
            yield Site(function.module, node.value)
    if isinstance(function.node, ast.Lambda):
        yield Site(function.module, function.node.body)
