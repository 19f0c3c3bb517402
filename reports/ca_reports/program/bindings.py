"""Which assignments a read of a variable may see, and which reads see an assignment.

The statements of a function are gone through as Python runs them: branches join, loops run until
nothing new comes round, nothing goes on after a `return`. A function runs later than it is made: of
the variables around it, it sees what they hold at any call after that, and in the end. Attributes
and elements are no variables.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeAlias

from ca_reports.program.scopes import (
    COMPREHENSIONS,
    FUNCTIONS,
    Scope,
    Scopes,
    body_of,
    bound_by,
    evaluated_outside,
    is_deleted,
    parameters,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ca_reports.program.scopes import Comprehension, Function

_Variable: TypeAlias = tuple[Scope, str]
# What may have bound a variable: None stands for what it held as the function was called.
_Seen: TypeAlias = frozenset[ast.AST | None]
_State: TypeAlias = dict[_Variable, _Seen]

_NOTHING: _Seen = frozenset()
_BEFORE: _Seen = frozenset((None,))
# How often a loop is gone through at most: each time, some variable may hold one more.
_MOST_ROUNDS = 20
# `except*` came with Python 3.11.
TRIES = tuple(getattr(ast, name) for name in ("Try", "TryStar") if hasattr(ast, name))


class Bindings:
    """The definitions and uses of the variables of one file.

    A definition is the node that binds: the `Name` that is stored to, the `arg` of a parameter, the
    `alias` of an import, the `def` or `class`, the `except` or the pattern that names a variable.
    The target of `+=` is a read as well as a definition.
    """

    def __init__(self, tree: ast.Module) -> None:
        """Go through ``tree``. One that is nested too deeply for Python has no definitions."""
        self.scopes = Scopes(tree)
        self.captures = self._captured()
        self._seen: dict[ast.Name, set[ast.AST]] = {}
        # Variable → what it held whenever a function could run that reads it from outside.
        self._later: dict[_Variable, set[ast.AST]] = {}
        # Reads of what a variable held as the function was called.
        self._from_outside: list[tuple[ast.Name, _Variable]] = []
        try:
            for scope in self.scopes.own.values():
                if scope.frame is scope:
                    _Frame(self, scope).run()
        except RecursionError:
            self._seen.clear()
        else:
            self._join_functions()
        self._uses: dict[ast.AST, list[ast.Name]] = {}
        for read, seen in self._seen.items():
            for one in seen:
                self._uses.setdefault(one, []).append(read)
        for reads in self._uses.values():
            reads.sort(key=lambda read: (read.lineno, read.col_offset))

    def definitions(self, read: ast.AST) -> frozenset[ast.AST]:
        """Return what may have bound what ``read`` reads; empty if nothing here did."""
        return frozenset(self._seen.get(read, ()))  # type: ignore[call-overload]

    def uses(self, definition: ast.AST) -> Sequence[ast.Name]:
        """Return the reads that may see ``definition``, in the order of the source."""
        return self._uses.get(definition, ())

    def reads_in(self, function: ast.AST, name: str) -> list[ast.Name]:
        """Return where a function, or one within it, reads what it calls ``name``."""
        own = self.scopes.own[function]
        owner = own.owner(name)
        return [
            read
            for read, scope in self.scopes.reads.items()
            if read.id == name and own in scope.around and scope.owner(name) is owner
        ]

    def variable(self, name: ast.AST) -> tuple[Scope | None, str]:
        """Return the variable that a read or a definition is of: its scope and its name."""
        called = next(iter(_names(name)), "")
        scope = self.scopes.reads.get(name) or self.scopes.binder.get(name)  # type: ignore[call-overload]
        return (None if scope is None else scope.owner(called)), called

    def see(self, read: ast.Name, variable: _Variable, seen: _Seen) -> None:
        """Keep what a read may see, in this round of a loop as in those before."""
        known = self._seen.setdefault(read, set())
        known.update(one for one in seen if one is not None)
        if None in seen:
            self._from_outside.append((read, variable))

    def keep(self, variable: _Variable, seen: _Seen) -> None:
        """Keep what a variable holds when a function may run that reads it from outside."""
        known = self._later.setdefault(variable, set())
        known.update(one for one in seen if one is not None)

    def _captured(self) -> dict[ast.AST, set[_Variable]]:
        """Map a function to the variables around it that it, or a function within it, reads."""
        found: dict[ast.AST, set[_Variable]] = {}
        for read, scope in self.scopes.reads.items():
            owner = scope.owner(read.id)
            frame = scope.frame
            while owner is not None and frame is not owner.frame and frame.outer is not None:
                found.setdefault(frame.node, set()).add((owner, read.id))
                frame = frame.outer.frame
        return found

    def _join_functions(self) -> None:
        """Let reads see what was bound before the call, and what other functions bind."""
        # Variable → what binds it in other functions than its own, which may run at any time.
        shared = {
            (scope, name): others
            for scope in self.scopes.own.values()
            for name in scope.bindings
            if (others := self._bound_elsewhere(scope, name))
        }
        for read, variable in self._from_outside:
            # An earlier call of the function that reads it may have bound it, too.
            self._seen[read].update(self._later.get(variable, ()), shared.get(variable, ()))
        for read, seen in self._seen.items() if shared else ():
            scope = self.scopes.reads[read]
            owner = scope.owner(read.id)
            others = shared.get((owner, read.id), []) if owner is not None else []
            seen.update(one for one in others if self.scopes.binder[one].frame is not scope.frame)

    def _bound_elsewhere(self, scope: Scope, name: str) -> list[ast.AST]:
        frame, binder = scope.frame, self.scopes.binder
        bound = scope.bindings[name]
        return [one for one in bound if binder[one].frame is not frame]


class _Frame:
    """One run through a module or function, with the classes and comprehensions within it."""

    def __init__(self, bindings: Bindings, scope: Scope) -> None:
        self._bindings = bindings
        self._scopes = bindings.scopes
        self._scope = self._frame = scope
        # None where the code is not reached.
        self._state: _State | None = {}
        # Of the loops around: what variables hold at each `break` and `continue`.
        self._breaks: list[list[_State | None]] = []
        self._continues: list[list[_State | None]] = []
        # Of the `try`s around: what they hold where something may be raised.
        self._raised: list[list[_State | None]] = []
        self._ends: list[_State | None] = []
        # The variables that functions read which may be called from here on.
        self._captured: set[_Variable] = set()

    def run(self) -> None:
        """Go through the code."""
        node = self._scope.node
        if isinstance(node, FUNCTIONS):
            for each in parameters(node):
                self._bind(each)
            for part in body_of(node):
                self._statement(part) if isinstance(part, ast.stmt) else self._evaluate(part)
        elif isinstance(node, ast.Module):
            self._block(node.body)
        self._state = self._joined(self._state, *self._ends)
        self._keep()

    # Variables

    def _bind(self, node: ast.AST) -> None:
        """Let each variable that ``node`` binds hold that, and nothing else."""
        for name in _names(node):
            scope = self._scopes.binder.get(node, self._scope)
            owner = scope.owner(name)
            if self._state is not None and owner is not None:
                self._state[owner, name] = _NOTHING if is_deleted(node) else frozenset((node,))

    def _read(self, name: ast.Name) -> None:
        owner = self._scopes.reads[name].owner(name.id)
        if self._state is not None and owner is not None:
            variable = (owner, name.id)
            self._bindings.see(name, variable, self._held(self._state, variable))

    def _held(self, state: _State, variable: _Variable) -> _Seen:
        is_own = variable[0].frame is self._frame
        return state.get(variable, _NOTHING if is_own else _BEFORE)

    def _joined(self, *states: _State | None) -> _State | None:
        """Return what variables hold where several ways meet; None if none of them gets there."""
        reached = [state for state in states if state is not None]
        if len(reached) < 2:
            return dict(reached[0]) if reached else None
        found = dict(reached[0])
        for state in reached[1:]:
            for variable, seen in state.items():
                known = found.get(variable)
                if known is not seen:
                    found[variable] = seen | (
                        known if known is not None else self._held(found, variable)
                    )
            for variable in found.keys() - state.keys():
                found[variable] |= self._held(state, variable)
        return found

    def _keep(self) -> None:
        """Keep what functions may read from here: something is called, or the code ends."""
        for variable in self._captured if self._state is not None else ():
            assert self._state is not None
            self._bindings.keep(variable, self._held(self._state, variable))

    def _may_raise(self) -> None:
        if self._raised:
            self._raised[-1].append(self._joined(self._state))

    # Statements

    def _block(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            if self._state is None:
                return
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        self._may_raise()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._function(node)
            self._bind(node)
        elif isinstance(node, ast.ClassDef):
            self._class(node)
        elif isinstance(node, ast.If):
            self._if(node)
        elif isinstance(node, ast.While | ast.For | ast.AsyncFor):
            self._loop(node)
        elif isinstance(node, ast.With | ast.AsyncWith):
            self._with(node)
        elif isinstance(node, TRIES):
            self._try(node)
        elif isinstance(node, ast.Match):
            self._match(node)
        else:
            self._simple(node)

    def _simple(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Assign):
            self._evaluate(node.value)
            for target in node.targets:
                self._assign(target)
        elif isinstance(node, ast.AugAssign):
            if isinstance(node.target, ast.Name):
                self._read(node.target)
            else:
                self._assign(node.target)
            self._evaluate(node.value)
            if isinstance(node.target, ast.Name):
                self._bind(node.target)
        elif isinstance(node, ast.AnnAssign):
            self._evaluate(node.annotation)
            self._evaluate(node.value)
            if node.value is not None or not isinstance(node.target, ast.Name):
                self._assign(node.target)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                self._bind(alias)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                self._assign(target)
        else:
            for part in ast.iter_child_nodes(node):
                self._evaluate(part)
            self._leave(node)

    def _leave(self, node: ast.stmt) -> None:
        """Go no further after a `return`, a `raise`, a `break` or a `continue`."""
        if isinstance(node, ast.Return):
            self._ends.append(self._state)
        elif isinstance(node, ast.Raise):
            self._may_raise()
            self._ends.append(self._state)
        elif isinstance(node, ast.Break) and self._breaks:
            self._breaks[-1].append(self._state)
        elif isinstance(node, ast.Continue) and self._continues:
            self._continues[-1].append(self._state)
        else:
            return
        self._state = None

    def _assign(self, target: ast.expr) -> None:
        """Bind the variables of a target, and read what its attributes and elements are of."""
        if isinstance(target, ast.Name):
            self._bind(target)
        elif isinstance(target, ast.Tuple | ast.List):
            for each in target.elts:
                self._assign(each)
        elif isinstance(target, ast.Starred):
            self._assign(target.value)
        else:
            self._evaluate_parts(target)

    def _if(self, node: ast.If) -> None:
        self._evaluate(node.test)
        before = self._joined(self._state)
        self._block(node.body)
        after, self._state = self._state, before
        self._block(node.orelse)
        self._state = self._joined(after, self._state)

    def _loop(self, node: ast.While | ast.For | ast.AsyncFor) -> None:
        if not isinstance(node, ast.While):
            self._evaluate(node.iter)
        begin = self._joined(self._state)
        breaks: list[_State | None] = []
        continues: list[_State | None] = []
        end: _State | None = None
        for _ in range(_MOST_ROUNDS):
            self._state = self._joined(begin)
            if isinstance(node, ast.While):
                self._evaluate(node.test)
            # Where a test fails, or nothing is left to go over.
            end = None if _is_endless(node) else self._joined(self._state)
            if not isinstance(node, ast.While):
                self._may_raise()
                self._assign(node.target)
            breaks, continues = [], []
            self._breaks.append(breaks)
            self._continues.append(continues)
            self._block(node.body)
            self._breaks.pop()
            self._continues.pop()
            again = self._joined(begin, self._state, *continues)
            if again == begin:
                break
            begin = again
        self._state = end
        self._block(node.orelse)
        self._state = self._joined(self._state, *breaks)

    def _try(self, node: ast.Try) -> None:
        raised: list[_State | None] = []
        self._raised.append(raised)
        self._block(node.body)
        self._raised.pop()
        self._block(node.orelse)
        ends = [self._state]
        caught = self._joined(*raised)
        for handler in node.handlers:
            self._state = self._joined(caught)
            self._evaluate(handler.type)
            self._bind(handler)
            self._block(handler.body)
            for name in _names(handler) if self._state is not None else ():
                owner = self._scopes.binder[handler].owner(name)
                if owner is not None and self._state is not None:
                    self._state[owner, name] = _NOTHING
            ends.append(self._state)
        after = self._joined(*ends)
        if self._raised and caught is not None:
            self._raised[-1].append(caught)  # what no handler is for
        if node.finalbody:
            self._state = self._joined(caught, after)
            self._block(node.finalbody)
            self._state = after
            self._block(node.finalbody)
        else:
            self._state = after

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            self._evaluate(item.context_expr)
            self._may_raise()
            if item.optional_vars is not None:
                self._assign(item.optional_vars)
        if not any(map(_suppresses, node.items)):
            self._block(node.body)
            return
        raised: list[_State | None] = []
        self._raised.append(raised)
        self._block(node.body)
        self._raised.pop()
        self._state = self._joined(self._state, *raised)

    def _match(self, node: ast.Match) -> None:
        self._evaluate(node.subject)
        ends: list[_State | None] = []
        for case in node.cases:
            before = self._joined(self._state)
            self._pattern(case.pattern)
            self._evaluate(case.guard)
            self._block(case.body)
            ends.append(self._state)
            self._state = before
            if case.guard is None and _fits_all(case.pattern):
                self._state = None
        self._state = self._joined(self._state, *ends)

    def _pattern(self, pattern: ast.AST) -> None:
        for part in ast.iter_child_nodes(pattern):
            self._pattern(part) if isinstance(part, ast.pattern) else self._evaluate(part)
        self._bind(pattern)

    # Functions and classes

    def _function(self, node: Function) -> None:
        for part in evaluated_outside(node):
            self._evaluate(part)
        # Those that it only hands on to functions within it are kept by the frame that has them.
        self._captured |= self._bindings.captures.get(node, set())

    def _class(self, node: ast.ClassDef) -> None:
        for part in evaluated_outside(node):
            self._evaluate(part)
        outer, self._scope = self._scope, self._scopes.own[node]
        self._block(node.body)
        self._scope = outer
        self._bind(node)

    # Expressions

    def _evaluate(self, node: ast.AST | None) -> None:
        if isinstance(node, ast.Name):
            self._bind(node) if not isinstance(node.ctx, ast.Load) else self._read(node)
        elif node is None or isinstance(node, ast.Constant):
            return
        elif isinstance(node, ast.Lambda):
            self._function(node)
        elif isinstance(node, COMPREHENSIONS):
            self._comprehension(node)
        elif isinstance(node, ast.NamedExpr):
            self._evaluate(node.value)
            self._bind(node.target)
        elif isinstance(node, ast.BoolOp):
            self._evaluate(node.values[0])
            for value in node.values[1:]:
                self._perhaps(value)
        elif isinstance(node, ast.IfExp):
            self._evaluate(node.test)
            self._perhaps(node.body)
            self._perhaps(node.orelse)
        else:
            self._evaluate_parts(node)
            if isinstance(node, ast.Call | ast.Await | ast.Yield | ast.YieldFrom):
                self._keep()

    def _evaluate_parts(self, node: ast.AST) -> None:
        for part in ast.iter_child_nodes(node):
            self._evaluate(part)

    def _perhaps(self, node: ast.expr) -> None:
        before = self._joined(self._state) if _binds(node) else None
        self._evaluate(node)
        if before is not None:
            self._state = self._joined(self._state, before)

    def _comprehension(self, node: Comprehension) -> None:
        """Go through it once: what it binds by `:=` may not be bound."""
        self._evaluate(node.generators[0].iter)
        before = self._joined(self._state) if _binds(node) else None
        for generator in node.generators:
            if generator is not node.generators[0]:
                self._evaluate(generator.iter)
            self._assign(generator.target)
            for test in generator.ifs:
                self._evaluate(test)
        for part in ast.iter_child_nodes(node):
            if not isinstance(part, ast.comprehension):
                self._evaluate(part)
        if before is not None:
            self._state = self._joined(self._state, before)


def _names(node: ast.AST) -> Iterable[str]:
    return (node.id,) if isinstance(node, ast.Name) else bound_by(node)


def _binds(node: ast.AST) -> bool:
    """Return whether an expression binds a variable by `:=`."""
    return any(isinstance(part, ast.NamedExpr) for part in ast.walk(node))


def _suppresses(item: ast.withitem) -> bool:
    """Return whether what is raised ends there: `with contextlib.suppress(ValueError)`."""
    called = item.context_expr.func if isinstance(item.context_expr, ast.Call) else None
    return getattr(called, "attr", getattr(called, "id", "")) == "suppress"


def _is_endless(loop: ast.AST) -> bool:
    """Return whether only a `break` ends it."""
    return (
        isinstance(loop, ast.While)
        and isinstance(loop.test, ast.Constant)
        and bool(loop.test.value)
    )


def _fits_all(pattern: ast.AST) -> bool:
    """Return whether a pattern fits whatever it is given: `case _`, `case other`."""
    if isinstance(pattern, ast.MatchOr):
        return any(map(_fits_all, pattern.patterns))
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None
