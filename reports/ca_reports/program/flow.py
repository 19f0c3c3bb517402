"""Finds the code that a training step runs, and where its values come from.

Python is not run here, so calls and variables are followed by name: `model(x)` leads to the
`forward` of the class that `model` was made of, a parameter to the arguments of its callers,
an attribute to whatever is assigned to an attribute of that name.
"""

from __future__ import annotations

import ast
from collections import deque
from functools import cached_property
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.program.calls import Edge, KnownBy, calls_of, may_take
from ca_reports.program.names import ENTRIES, Names
from ca_reports.program.positions import nodes_of
from ca_reports.program.scopes import COMPREHENSIONS
from ca_reports.program.stack import in_torch, is_installed
from ca_reports.program.syntax import (
    LOOPS,
    Module,
    Site,
    bound_function,
    called_name,
    default_of,
    function_name,
    keyword,
    last_name,
    names_in,
    parameters_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ca_reports.program.stack import Frame

_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)
_PARTIAL = "partial"
_MAX_STEPS = 600
_MAX_DEPTH = 14
_MAX_STARTS = 4


@dataclass(frozen=True, slots=True)
class _Region:
    """Code that runs: a whole function, or what is below ``nodes`` of a loop."""

    module: Module
    nodes: tuple[ast.AST, ...]
    distance: int


@dataclass(frozen=True, slots=True)
class Given:
    """What callers give for a parameter, each with its key in ``**``, or its place in ``*``.

    ``is_left_out`` where some caller gives nothing, or nothing that is seen.
    """

    found: list[tuple[Site, tuple[str | int, ...]]]
    default: Site | None
    is_left_out: bool


def _comprehensions(site: Site, function: str, names: Names) -> list[Site]:
    """Find the comprehensions of a statement in which ``function`` is called, innermost first.

    By its name, or by that of what holds it: `self.predict = torch.compile(self._predict)`.
    """
    return [
        Site(site.module, node)
        for node in reversed(nodes_of(site.node))
        if isinstance(node, COMPREHENSIONS)
        and any(
            isinstance(part, ast.Call)
            and (called_name(part) == function or function in names.held.get(called_name(part), ()))
            for part in nodes_of(node)
        )
    ]


class Flow:
    """The code around one stack: the loop that takes the steps, and what it calls."""

    def __init__(self, names: Names, stack: Sequence[Frame], *, is_strict: bool = False) -> None:
        """``stack`` holds the frames of a backward or compile, outermost first.

        ``is_strict``: of a function on the stack no other call counts than the one there.
        """
        self._is_strict = is_strict
        self.names = names
        self.program = names.program
        self.stack = stack
        self._known_callers: dict[ast.AST, list[Edge]] = {}
        self._known_arguments: dict[tuple[ast.AST, str], Given | None] = {}
        self._known_values: dict[tuple[ast.AST, str], list[Site]] = {}
        self._known_besides: dict[ast.AST, dict[ast.AST, int]] = {}

    @cached_property
    def loops(self) -> tuple[Site, ...]:
        """Return the loops around the calls of the stack, outermost first."""
        found: list[Site] = []
        for frame, below in zip_longest(self.stack, self.stack[1:]):
            site = self.program.at(frame)
            if site is None:
                continue
            inner: list[Site] = []
            if below is not None and isinstance(site.node, _SIMPLE):
                inner += _comprehensions(site, below.function, self.names)
            for part in (site.node, *site.module.around(site.node)):
                if isinstance(part, LOOPS):
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

    def is_in_steps_besides(self, site: Site, function: ast.AST) -> bool:
        """Return whether ``site`` runs in each step, or may, without a call of ``function``."""
        if function not in self._known_besides:
            starts = [one for one in self._starts(in_loop=True) if one.nodes != (function,)]
            self._known_besides[function] = self._walk(starts, function)
        return site.node in self._known_besides[function]

    def nearest(self, sites: Iterable[Site]) -> list[Site]:
        """Find those of ``sites`` that are nearest to the steps."""
        measured = [(self.distance(site), site) for site in sites]
        least = min((far for far, _ in measured), default=None)
        return [site for far, site in measured if far == least]

    def in_steps(self, sites: Iterable[Site]) -> list[Site]:
        """Find those of ``sites`` that run in each step; all of them if none does."""
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
        """Find where in the stack a library that runs the loop calls the user; 0: nowhere."""
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
        """Return the functions that a library which runs the loop calls in its steps."""
        if not self._entry:
            return []
        return [
            _Region(site.module, (site.node,), 1)
            for name, sites in self.program.functions.items()
            if name.startswith("on_") or name in ENTRIES
            for site in sites
            if site.module.owner(site.node) is not None
        ]

    def _walk(self, waiting: list[_Region], without: ast.AST | None = None) -> dict[ast.AST, int]:
        found: dict[ast.AST, int] = {}
        queue = deque(waiting)
        known = {without, *(node for region in waiting for node in region.nodes)}

        def enter(called: Iterable[Site], distance: int) -> None:
            for site in called:
                if site.node not in known:
                    known.add(site.node)
                    queue.append(_Region(site.module, (site.node,), distance))

        while queue:
            region = queue.popleft()
            below = region.distance + 1
            for start in region.nodes:
                if start in found:
                    continue  # with all that is below it
                for node in nodes_of(start):
                    if node in found:
                        continue
                    found[node] = region.distance
                    if isinstance(node, ast.Call) and region.distance < _MAX_DEPTH:
                        enter(self.names.callees(node), below)
                    elif isinstance(node, LOOPS) and not isinstance(node, ast.While):
                        for name in sorted(names_in(node.iter)):
                            for owner in self.names.made_of(name):
                                enter(self.program.method(owner, *ENTRIES[3:]), below)
                        enter(self.names.collating, below)
        return found

    # Where values come from

    def feeding(self, *starts: Site) -> Iterator[Site]:
        """Yield what ``starts`` are made of, nearest first, through calls and variables.

        Of many starts, as many steps are taken as of a few.
        """
        known = {start.node: start for start in starts}
        queue = deque((start, 0) for start in known.values())
        most = _MAX_STEPS * min(len(known), _MAX_STARTS)
        steps = 0
        while queue and steps < most:
            site, depth = queue.popleft()
            steps += 1
            yield site
            for found in self._before(site) if depth < _MAX_DEPTH else ():
                if found.node not in known:
                    known[found.node] = found
                    queue.append((found, depth + 1))

    def _before(self, site: Site) -> Iterator[Site]:
        node, module = site.node, site.module
        if isinstance(node, ast.Name):
            yield from self.assigned(node.id, site)
            return
        if isinstance(node, ast.Attribute):
            found = [
                Site(other.module, value)
                for other, value in self.names.attributes.get(node.attr, ())
            ]
            yield from found
            yield Site(module, node.value)
            return
        if isinstance(node, ast.Call):
            for called in self.names.callees(node):
                yield from self.names.results(called)
            for called in self.program.method(called_name(node), *ENTRIES[3:]):
                yield from self.names.results(called)
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
        key = at.module.scope(at.node), name
        if key not in self._known_values:
            self._known_values[key] = self._assigned(name, at.module, key[0])
        return self._known_values[key]

    def _assigned(self, name: str, module: Module, scope: ast.AST) -> list[Site]:
        while True:
            found = list(self.names.bound_in(scope, module).get(name, ()))
            if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
                given = self.arguments(Site(module, scope), name)
                found += [] if given is None else [site for site, _ in given.found]
            if found or scope is module.tree:
                break
            scope = module.scope(scope)
        if not found:
            of_modules = self.names.of_modules.get(name, ())
            found = [site for site in of_modules if site.module is not module]
        return found

    def arguments(self, function: Site, parameter: str) -> Given | None:
        """Return what callers give for ``parameter``; None if ``function`` has none such."""
        key = function.node, parameter
        if key not in self._known_arguments:
            self._known_arguments[key] = self._given(function, parameter)
        return self._known_arguments[key]

    def _given(self, function: Site, parameter: str) -> Given | None:
        assert isinstance(function.node, ast.FunctionDef | ast.AsyncFunctionDef)
        if parameter not in parameters_of(function.node):
            return None
        names = parameters_of(function.node, by_place=True)
        default = default_of(function.node, parameter)
        owner = function.module.owner(function.node)
        if owner is not None and function.module.receiver(function.node):
            names = names[1:]
        position = names.index(parameter) if parameter in names else None
        found: list[tuple[Site, tuple[str | int, ...]]] = []
        is_left_out = False
        for edge in self.edges(function):
            call = edge.call
            assert isinstance(call.node, ast.Call)
            part: tuple[str | int, ...] = ()
            given = keyword(call.node, parameter)
            if given is None and position is not None:
                own = call.node.args[bound_function(call.node) is not None :]
                if position < edge.bound:
                    continue  # the `partial` gives it, which is a caller too
                given, part = _at(own, position - edge.bound, len(names) - edge.bound)
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
        """Find the calls that may run ``function``, those of each step first."""
        return [edge.call for edge in self.edges(function)]

    def edges(self, function: Site) -> list[Edge]:
        """Return the calls that may run ``function``, and how that is known of each.

        Those of each step come first. Where one is recorded or named, what is guessed is left out.
        """
        if function.node not in self._known_callers:
            found = {edge.call.node: edge for edge in self._edges(function)}
            stacked = [
                Edge(call, KnownBy.RECORDED) for call in self._stacked.get(function.node, ())
            ]
            if stacked and self._is_strict:
                found = {}
            elif stacked:
                # Its own calls leave stacks; those in files of no stack are of another's method.
                found = {
                    node: edge
                    for node, edge in found.items()
                    if edge.call.module.file in self.program.named
                }
            found |= {edge.call.node: edge for edge in stacked}
            found |= {edge.call.node: edge for edge in self._by_partial(function)}
            known = self.names.recorded_calls.among(function.node, [*found.values()])
            sure = [edge for edge in known if edge.known_by is not KnownBy.GUESSED]
            self._known_callers[function.node] = sorted(
                sure or known, key=lambda edge: self.distance(edge.call)
            )
        return self._known_callers[function.node]

    def _edges(self, function: Site) -> Iterator[Edge]:
        """Yield the calls of ``function`` by its name, by its class, and by what holds it."""
        name = function_name(function.node)
        owner = function.module.owner(function.node)
        for called, calls in self.program.all_calls.items():
            runs_object = (
                owner is not None
                and name in ENTRIES
                and called not in self.program.classes
                and (called not in self.program.functions or called in self.names.variables)
                and owner.name in self.names.made_of(called)
            )
            makes = name == "__init__" and owner is not None and called == owner.name
            holds = name in self.names.held.get(called, ())
            if runs_object and owner is not None:
                calls = [call for call in calls if self.names.may_run(call, owner.name)]
            if runs_object or makes or holds:
                bound = self.names.bound_before.get(called, 0) if holds else 0
                yield from (Edge(call, KnownBy.NAMED, bound) for call in calls)
            elif called == name:
                for call in calls:
                    if may_take(function, call):
                        is_named = owner is None or self._is_of_class(call, owner)
                        yield Edge(call, KnownBy.NAMED if is_named else KnownBy.GUESSED)

    def _is_of_class(self, call: Site, owner: ast.ClassDef) -> bool:
        """Return whether a method is called of an object that may be of ``owner``."""
        assert isinstance(call.node, ast.Call)
        function = call.node.func
        if not isinstance(function, ast.Attribute):
            return False
        receiver = last_name(function.value)
        around = call.module.owner(call.scope)
        if call.module.is_receiver(function.value) and around is not None:
            return around is owner or owner.name in map(last_name, around.bases)
        return owner.name in self.names.made_of(receiver)

    def _by_partial(self, function: Site) -> Iterator[Edge]:
        """Yield the `partial(function, …)`, of what holds it too."""
        name = function_name(function.node)
        for call in self.program.calls(_PARTIAL):
            if (bound := bound_function(call.node)) is not None:
                held = last_name(bound)
                if held and (held == name or name in self.names.held.get(held, ())):
                    yield Edge(call, KnownBy.NAMED)

    def run_by(self, call: ast.Call) -> Site | None:
        """Find the function that ``call`` ran on the stack; None for a call that is not there."""
        return self._run.get(call)

    @cached_property
    def _run(self) -> dict[ast.AST, Site]:
        found: dict[ast.AST, Site] = {}
        for frame in self.stack:
            module = self.program.modules.get(frame.file)
            if module is None:
                continue
            function = module.scope_at(frame.line)
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                here = Site(module, function)
                found |= {call.node: here for call in self._stacked.get(function, ())}
        return found

    @cached_property
    def _stacked(self) -> dict[ast.AST, list[Site]]:
        """Function of the stack → its call there, also of an object whose class is not known."""
        return calls_of(self.program, self.stack)


def _at(
    arguments: list[ast.expr], position: int, parameters: int
) -> tuple[ast.expr | None, tuple[int, ...]]:
    """Return the argument for the parameter at ``position``; counted from the end behind a ``*xs``.

    Of what ``*xs`` gives with its place there, where that is the only one.
    """
    starred = [at for at, each in enumerate(arguments) if isinstance(each, ast.Starred)]
    if not starred or position < starred[0]:
        return (arguments[position] if position < len(arguments) else None), ()
    place = position - parameters + len(arguments)
    if starred[-1] < place < len(arguments):
        return arguments[place], ()
    given = arguments[starred[0]]
    assert isinstance(given, ast.Starred)
    return given.value, (position - starred[0],) if len(starred) == 1 else ()
