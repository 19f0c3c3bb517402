"""Calls and the functions that they may run: what fits by arguments, and what tables hold."""

from __future__ import annotations

import ast
import builtins
import re
from dataclasses import replace
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.program.syntax import (
    Site,
    called_name,
    function_name,
    is_by_name,
    is_starred,
    last_name,
    parameters_of,
    root_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ca_reports.program.stack import Frame
    from ca_reports.program.syntax import Program

_Function = ast.FunctionDef | ast.AsyncFunctionDef


class KnownBy(Enum):
    """Says how it is known that a call runs a function; the best comes first."""

    RECORDED = "seen on a stack of the run"
    NAMED = "what is called has that name there, or was made of its class"
    GUESSED = "a method of that name, of an object whose class is not known"


@dataclass(frozen=True, slots=True)
class Edge:
    """A call, and how it is known that it runs the function that was asked for.

    ``bound`` is how many arguments a `partial` has put before those of the call.
    """

    call: Site
    known_by: KnownBy
    bound: int = 0


def bound_arguments(call: ast.AST, names: Sequence[str]) -> Iterator[tuple[str, ast.expr]]:
    """Yield (parameter, argument) of a call of something with these parameters."""
    assert isinstance(call, ast.Call)
    for name, given in zip(names, call.args, strict=False):
        if isinstance(given, ast.Starred):
            break
        yield name, given
    for each in call.keywords:
        if each.arg is not None:
            yield each.arg, each.value


def fields_of(program: Program, owner: str) -> list[str]:
    """Return parameters of a class's constructor; without one, as of a dataclass, its fields."""
    for made in program.method(owner, "__init__"):
        assert isinstance(made.node, ast.FunctionDef)
        return parameters_of(made.node, by_place=True)[1:]
    return [
        each.target.id
        for site in program.classes[owner][:1]
        if isinstance(site.node, ast.ClassDef)
        for each in site.node.body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    ]


def registered(program: Program) -> Iterator[tuple[str, str]]:
    """Yield (table, function) for each that a decorator puts there: `TABLE[name] = function`."""
    tables: dict[str, set[str]] = {}
    for site in program.sites(ast.Assign):
        assert isinstance(site.node, ast.Assign)
        value, scope = site.node.value, site.scope
        filled = {
            last_name(target.value)
            for target in site.node.targets
            if isinstance(target, ast.Subscript)
        }
        while filled and isinstance(value, ast.Name) and isinstance(scope, ast.FunctionDef):
            if value.id in (each.arg for each in ast.walk(scope) if isinstance(each, ast.arg)):
                tables.setdefault(scope.name, set()).update(filled)
            scope = site.module.scope(scope)
    for function in program.sites(ast.FunctionDef):
        assert isinstance(function.node, ast.FunctionDef)
        for decorator in function.node.decorator_list:
            made = decorator.func if isinstance(decorator, ast.Call) else decorator
            for table in tables.get(last_name(made), ()):
                yield table, function.node.name


def handed_over(program: Program) -> Iterator[tuple[str, str]]:
    """Yield (parameter, function) for each function of the program that a call hands to another."""
    for name, sites in program.functions.items():
        for site in sites:
            if not isinstance(site.node, _Function):
                continue
            names = site.module.own_parameters(site.node)
            for call in program.calls(name):
                for parameter, given in bound_arguments(call.node, names):
                    if isinstance(given, ast.Name) and given.id in program.functions:
                        yield parameter, given.id
                    if isinstance(given, ast.Lambda):
                        yield parameter, function_name(given)


def taken_by_name(program: Program) -> Iterator[tuple[str, str]]:
    """Yield (text, function) for each that a `getattr(self, f"loss_{kind}")` may be.

    Of a name that is a variable's: every function whose name the program has as a string.
    """
    found = [site for site in program.calls("getattr") if is_by_name(site.node)]
    written = {
        str(site.node.value)
        for site in (program.sites(ast.Constant) if found else ())
        if isinstance(site.node, ast.Constant) and isinstance(site.node.value, str)
    }
    for site in found:
        assert isinstance(site.node, ast.Call)
        receiver, given = site.node.args[:2]
        pattern = _pattern(given)
        owner = site.module.owner(site.scope) if site.module.is_receiver(receiver) else None
        for name, functions in program.functions.items():
            is_named = name in written if pattern is None else re.fullmatch(pattern, name)
            own = [one for one in functions if one.module.owner(one.node) is owner]
            if is_named and (own or owner is None):
                yield ast.unparse(site.node), name


def _pattern(name: ast.expr) -> str | None:
    """Return an expression for what a name may be; None where all of it is a variable's."""
    parts = name.values if isinstance(name, ast.JoinedStr) else [name]
    if isinstance(name, ast.BinOp) and isinstance(name.op, ast.Add):
        parts = [name.left, name.right]
    texts = [part.value if isinstance(part, ast.Constant) else None for part in parts]
    if not any(texts):
        return None
    return "".join(re.escape(text) if isinstance(text, str) else r"\w+" for text in texts)


def calls_of(program: Program, stack: Sequence[Frame]) -> dict[ast.AST, list[Site]]:
    """Map each function of ``stack`` to its call in the frame before, whatever its name there.

    Only where one call of that line can be it.
    """
    found: dict[ast.AST, list[Site]] = {}
    for before, frame in pairwise(stack):
        function, called = _between(program, before, frame)
        if function is not None and len(called) == 1:
            found.setdefault(function, []).extend(called)
    return found


class RecordedCalls:
    """The calls by which functions were reached in all compiles of a run, of its own recorder.

    A call that was not compiled for was served by what others compiled, and decides nothing.
    """

    def __init__(self, program: Program, stacks: Iterable[Sequence[Frame]]) -> None:
        """``stacks`` are those of all captures and compiles, first ones too."""
        self._found: dict[ast.AST, set[ast.AST]] = {}
        self._unclear: set[ast.AST] = set()
        # One stack has thousands of compiles, and frames take their time to be told apart.
        pairs = {pair: None for stack in dict.fromkeys(stacks) for pair in pairwise(stack)}
        for before, frame in pairs:
            function, called = _between(program, before, frame)
            if function is None:
                continue
            self._found.setdefault(function, set()).update(call.node for call in called)
            if len(called) != 1:
                self._unclear.add(function)

    def among(self, function: ast.AST, edges: list[Edge]) -> list[Edge]:
        """Return those of ``edges`` that were seen to reach ``function``; all if not known."""
        seen = () if function in self._unclear else self._found.get(function, ())
        return [
            replace(edge, known_by=KnownBy.RECORDED) for edge in edges if edge.call.node in seen
        ] or edges


def _between(program: Program, before: Frame, frame: Frame) -> tuple[_Function | None, list[Site]]:
    """Return the function of ``frame``, and what may be the call of it in the frame ``before``."""
    line, module = program.at(before), program.modules.get(frame.file)
    function = None if module is None else module.scope_at(frame.line)
    if line is None or module is None or not isinstance(function, _Function):
        return None, []
    calls = [
        Site(line.module, node)
        for node in _head(line.node)
        if isinstance(node, ast.Call)
        and _may_run(program, Site(line.module, node), Site(module, function))
    ]
    named = [
        call
        for call in calls
        if isinstance(call.node, ast.Call) and called_name(call.node) == function.name
    ]
    # What goes on after a graph break is a frame of its own, below that of its function.
    is_rest = line.module is module and module.scope_at(before.line) is function
    if is_rest and not named:
        return None, []
    return function, named if is_rest else named or calls


def _may_run(program: Program, site: Site, function: Site) -> bool:
    """Return whether a call's arguments fit ``function``, and it is no other function's."""
    call = site.node
    assert isinstance(call, ast.Call)
    assert isinstance(function.node, _Function)
    name = called_name(call)
    if name != function.node.name and name in program.functions:
        return False
    root = root_name(call.func)
    if root in site.module.library_names or hasattr(builtins, root):
        return False
    return _fits(call, function)


def _fits(call: ast.Call, function: Site) -> bool:
    assert isinstance(function.node, _Function)
    arguments = function.node.args
    names = function.module.own_parameters(function.node)
    known = {*names, *(each.arg for each in arguments.kwonlyargs)}
    given = [each.arg for each in call.keywords]
    if arguments.kwarg is None and not known.issuperset(filter(None, given)):
        return False
    if is_starred(call):
        return True
    needed = len(names) - len(arguments.defaults)
    has_place = len(call.args) <= len(names) or arguments.vararg is not None
    return has_place and len(call.args) + len(given) >= needed


def _head(statement: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a statement, without the body of a compound one."""
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [
            child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)
        ]


def may_take(function: Site, call: Site) -> bool:
    """Return whether ``function`` takes as many arguments as ``call``, of its name, gives.

    `optimizer.step()` is no call of a `step(self, word, hidden)`.
    """
    node, given = function.node, call.node
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or not isinstance(
        given, ast.Call
    ):
        return True
    if is_starred(given):
        return True
    places = parameters_of(node, by_place=True)
    needed = len(places) - len(node.args.defaults)
    # An object is given by what stands before the dot, but for `Net.step(net, word)`.
    is_method = function.module.owner(node) is not None
    own = 1 if is_method and function.module.receiver(node) else 0
    names = {each.arg for each in given.keywords}
    by_place = len(given.args)
    if by_place > len(places) and node.args.vararg is None:
        return False
    return by_place + len(names.intersection(places)) >= needed - own
