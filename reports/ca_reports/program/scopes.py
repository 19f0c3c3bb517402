"""The scopes of a file, as Python makes them: what binds variables, and whose they are."""

from __future__ import annotations

import ast
from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from ca_engine.lazy_classes import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@dataclass(eq=False)
class Scope:
    """A module, class, function or comprehension, and all that binds each of its variables.

    ``bindings`` are in the order of the source, those by `global` and `nonlocal` elsewhere too.
    """

    node: ast.AST
    outer: Scope | None = None
    bindings: dict[str, list[ast.AST]] = field(default_factory=dict)
    # The variables that `global` or `nonlocal` takes from another scope.
    taken: dict[str, Scope] = field(default_factory=dict)

    def bind(self, name: str, node: ast.AST) -> None:
        """Add what binds a variable. A `del` makes it the scope's own, and binds nothing."""
        bound = self.bindings.setdefault(name, [])
        if not is_deleted(node):
            bound.append(node)

    def owner(self, name: str) -> Scope | None:
        """Return the scope whose variable ``name`` is here; None if nothing here binds it."""
        if name in self.taken:
            return self.taken[name]
        if name in self.bindings:
            return self
        scope = self.outer
        while scope is not None:
            # Functions within a class do not see its variables.
            if name in scope.bindings and not isinstance(scope.node, ast.ClassDef):
                return scope
            if name in scope.taken:
                return scope.taken[name]
            scope = scope.outer
        return None

    @property
    def around(self) -> Iterator[Scope]:
        """Yield the scope, the one around it, and so on."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    @property
    def function(self) -> Scope:
        """Return the innermost scope around that is no comprehension: where `:=` binds."""
        scope = self
        while isinstance(scope.node, COMPREHENSIONS) and scope.outer is not None:
            scope = scope.outer
        return scope

    @property
    def frame(self) -> Scope:
        """Return the function or module that runs it: a class and a comprehension run in place."""
        scope = self
        while isinstance(scope.node, (*COMPREHENSIONS, ast.ClassDef)) and scope.outer is not None:
            scope = scope.outer
        return scope


class Scopes:
    """The scopes of one file, and the one that each of its nodes runs in."""

    def __init__(self, tree: ast.Module) -> None:
        """Go through ``tree``."""
        self.module = Scope(tree)
        # Module, class, function or comprehension → its scope.
        self.own: dict[ast.AST, Scope] = {tree: self.module}
        # What binds a variable → the scope that it is written in.
        self.binder: dict[ast.AST, Scope] = {}
        # Each name that is read, and the target of each `+=` → the scope that it is looked up from.
        self.reads: dict[ast.Name, Scope] = {}
        waiting: list[tuple[ast.AST, Scope]] = [(each, self.module) for each in tree.body[::-1]]
        # A `nonlocal` may name what the function around it binds below.
        declared: list[tuple[ast.Global | ast.Nonlocal, Scope]] = []
        binding: list[tuple[str, ast.AST, Scope]] = []
        while waiting:
            node, scope = waiting.pop()
            if isinstance(node, ast.Global | ast.Nonlocal):
                declared.append((node, scope))
                continue
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                self.reads[node] = scope
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                self.reads[node.target] = scope
            binding += [(name, node, scope) for name in bound_by(node)]
            waiting += reversed([*self._parts(node, scope)])
        for statement, scope in declared:
            for name in statement.names:
                scope.taken[name] = self.module
        for name, node, scope in binding:
            if name not in scope.taken:
                scope.bind(name, node)
        for statement, scope in declared:
            for name in statement.names if isinstance(statement, ast.Nonlocal) else ():
                outer = scope.outer.owner(name) if scope.outer is not None else None
                scope.taken[name] = outer or self.module
        for name, node, scope in binding:
            self.binder[node] = scope
            if name in scope.taken:
                scope.taken[name].bind(name, node)

    def _parts(self, node: ast.AST, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
        """Yield what a node consists of, each with the scope that it runs in."""
        if isinstance(node, FUNCTIONS):
            own = self.own[node] = Scope(node, scope)
            yield from ((each, scope) for each in evaluated_outside(node))
            yield from ((each, own) for each in parameters(node))
            yield from ((each, own) for each in body_of(node))
        elif isinstance(node, ast.ClassDef):
            own = self.own[node] = Scope(node, scope)
            yield from ((each, scope) for each in evaluated_outside(node))
            yield from ((each, own) for each in node.body)
        elif isinstance(node, COMPREHENSIONS):
            own = self.own[node] = Scope(node, scope)
            first = node.generators[0].iter
            yield first, scope
            for each in ast.iter_child_nodes(node):
                if isinstance(each, ast.comprehension):
                    parts = ast.iter_child_nodes(each)
                    yield from ((part, own) for part in parts if part is not first)
                else:
                    yield each, own
        elif isinstance(node, ast.arg):
            return  # its annotation is evaluated outside
        elif isinstance(node, ast.NamedExpr):
            yield node.target, scope.function
            yield node.value, scope
        else:
            yield from ((each, scope) for each in ast.iter_child_nodes(node))


def bound_by(node: ast.AST) -> Iterable[str]:
    """Return the variables that a node binds by itself: those of its parts are theirs."""
    if isinstance(node, ast.Name):
        return () if isinstance(node.ctx, ast.Load) else (node.id,)
    if isinstance(node, ast.arg):
        return (node.arg,)
    if isinstance(node, ast.alias):
        name = node.asname or node.name.partition(".")[0]
        return () if name == "*" else (name,)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return (node.name,)
    if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
        return (node.name,) if node.name else ()
    if isinstance(node, ast.MatchMapping):
        return (node.rest,) if node.rest else ()
    return ()


def is_deleted(node: ast.AST) -> bool:
    """Return whether the variable has no value any more: `del x`."""
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del)


def parameters(function: Function) -> list[ast.arg]:
    """Return the parameters, `*` and `**` ones too."""
    given = function.args
    every = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
    return [each for each in every if each is not None]


def body_of(function: Function) -> list[ast.AST]:
    """Return the statements, of a lambda its expression."""
    return [function.body] if isinstance(function, ast.Lambda) else [*function.body]


def evaluated_outside(node: Function | ast.ClassDef) -> list[ast.AST]:
    """Return what runs as a function or class is made: decorators, defaults, annotations, bases."""
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *node.keywords]
    defaults = [*node.args.defaults, *(each for each in node.args.kw_defaults if each is not None)]
    if isinstance(node, ast.Lambda):
        return [*defaults]
    annotations = [each.annotation for each in parameters(node) if each.annotation is not None]
    returns = [] if node.returns is None else [node.returns]
    return [*node.decorator_list, *defaults, *annotations, *returns]
