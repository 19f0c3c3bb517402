"""Tells what code does besides computing a value: whether it may run more often, or less, or once.

A patch that computes a side of a branch in every step, runs a loop longer, or makes something once
changes how often code runs. That is the same training only where the code leaves nothing behind and
draws nothing. The program's own functions are followed, by what a call may run; a call that the
source does not show is an answer of its own.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Literal

from ca_engine.lazy_classes import dataclass
from ca_reports.program.files import parsed
from ca_reports.program.positions import nodes_of
from ca_reports.program.syntax import (
    Module,
    Site,
    called_name,
    is_constant,
    keyword,
    last_name,
    parameters_of,
    parts_of,
    root_name,
    root_of,
)
from ca_reports.program.writes import is_in_place
from ca_reports.torchlib import containers, tensors
from ca_reports.torchlib import effects as table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ca_reports.program.names import Names

# It leaves something behind; it updates what a module keeps of its inputs; it draws random numbers;
# it runs what the source does not show.
EffectKind = Literal["leaves", "counts", "draws", "unseen"]

_MODULES = table.DRAWING | table.COUNTING | table.COMPUTING
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# What makes a new list, dict or set.
_DISPLAYS = (
    ast.List, ast.Dict, ast.Set, ast.Tuple, ast.ListComp, ast.DictComp, ast.SetComp, ast.Constant,
    ast.BinOp, ast.UnaryOp, ast.Compare, ast.JoinedStr,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Effect:
    """What a part of the program does besides computing, and where."""

    kind: EffectKind
    at: Site


# Of a function's body: what it does, or a function that it calls.
_Part = Effect | Site


class Effects:
    """The effects of a program's expressions, with those of the functions that they call."""

    def __init__(self, names: Names) -> None:
        """Look at nothing yet."""
        self._names = names
        self._program = names.program
        self._parts: dict[ast.AST, tuple[_Part, ...]] = {}
        self._known: dict[ast.AST, tuple[Effect, ...]] = {}
        self._properties = frozenset(
            site.node.name
            for sites in self._program.functions.values()
            for site in sites
            if isinstance(site.node, ast.FunctionDef) and _is_property(site.node)
        )

    def of(self, module: Module, nodes: Iterable[ast.AST]) -> tuple[Effect, ...]:
        """Return what computing ``nodes`` of ``module`` does, each kind and place once.

        What they assign to variables is theirs, and no effect; to anything else it is one.
        """
        parts = (
            part for node in nodes for part in self._within(module, _value_of(node), frozenset())
        )
        found: list[Effect] = []
        for part in parts:
            found += (part,) if isinstance(part, Effect) else self._of_function(part)
        return tuple(dict.fromkeys(found))

    def makes(self, function: Site, value: ast.expr) -> bool:
        """Return whether a function has made itself, in each call, the object of ``value``."""
        return _is_fresh(value, _made_within(function))

    def _of_function(self, function: Site) -> tuple[Effect, ...]:
        """Return what a call of a function of the program does, with all that it may come to."""
        node = function.node
        if node not in self._known:
            # Kept of this one alone: one that is met on the way may call one that was met before.
            self._known[node] = tuple(dict.fromkeys(self._from(function, set())))
        return self._known[node]

    def _from(self, function: Site, met: set[ast.AST]) -> Iterator[Effect]:
        met.add(function.node)
        for part in self._of_body(function):
            if isinstance(part, Effect):
                yield part
            elif part.node not in met:
                yield from self._from(part, met)

    def _of_body(self, function: Site) -> tuple[_Part, ...]:
        """Return the effects of a function's own lines, and the functions that they call."""
        node = function.node
        if node not in self._parts:
            body = [node.body] if isinstance(node, ast.Lambda) else getattr(node, "body", ())
            fresh = _made_within(function)
            self._parts[node] = tuple(
                dict.fromkeys(
                    part for line in body for part in self._within(function.module, line, fresh)
                )
            )
        return self._parts[node]

    def _within(self, module: Module, root: ast.AST, fresh: frozenset[str]) -> Iterator[_Part]:
        for node in nodes_of(root):
            if isinstance(node, ast.Call):
                yield from self._of_call(module, node, fresh)
            elif isinstance(node, ast.Attribute) and node.attr in self._properties:
                yield from self._program.functions.get(node.attr, ())
            elif _leaves(node, fresh):
                yield Effect("leaves", Site(module, _placed(node)))

    def _of_call(self, module: Module, call: ast.Call, fresh: frozenset[str]) -> Iterator[_Part]:
        at = Site(module, call)
        full = module.full_name(call.func)
        if _is_of_torch_or_python(full):
            kind = _of_library(module, full, call, fresh)
            if kind is not None:
                yield Effect(kind, at)
        else:
            yield from self._of_own(at, call, fresh)
        # `checkpoint(self.block, x)`, `map(scale, parts)`: what is given may be called.
        for given in (*call.args, *(one.value for one in call.keywords)):
            if isinstance(given, ast.Name | ast.Attribute) and not isinstance(given.ctx, ast.Store):
                yield from self._of_given(Site(module, given))

    def _of_given(self, given: Site) -> Iterator[_Part]:
        """Yield the functions that a call may be given."""
        assert isinstance(given.node, ast.Name | ast.Attribute)
        name = last_name(given.node)
        functions = self._program.functions.get(name, ())
        is_variable = name in self._names.variables or name in _parameters_around(given)
        yield from () if is_variable else functions

    def _of_own(self, at: Site, call: ast.Call, fresh: frozenset[str]) -> Iterator[_Part]:
        name, func = called_name(call), call.func
        if isinstance(func, ast.Call):
            # `nn.CrossEntropyLoss()(x, y)`, `self.heads.get(task)(x)`.
            yield from self._of_held(at, last_name(func.func))
            return
        functions = list(self._names.callees(call))
        receiver = func.value if isinstance(func, ast.Attribute) else None
        if name == "apply" and receiver is not None:
            functions += self._program.method(last_name(receiver), "forward")
        yield from functions
        if name in self._program.classes:
            return  # also a dataclass, or a class without a constructor
        kind = None if receiver is None else _of_method(call, receiver, fresh)
        if functions or receiver is None or kind == "unseen" or self._is_variable(name):
            yield from self._of_held(at, name, is_seen=bool(functions))
        elif kind is not None:
            yield Effect(kind, at)

    def _is_variable(self, name: str) -> bool:
        """Return whether a variable or attribute of that name may hold a module of torch's."""
        return name in self._names.variables and bool(self._names.reached(name) & _MODULES)

    def _of_held(self, at: Site, name: str, *, is_seen: bool = False) -> Iterator[Effect]:
        """Yield the effects of the modules of torch's that a variable or attribute may hold."""
        held = {name, *self._names.reached(name)}
        if held & table.DRAWING or any(self._drops(one) for one in held):
            yield Effect("draws", at)
        if held & table.COUNTING:
            yield Effect("counts", at)
        if not (is_seen or held & _MODULES or _is_excerpt(at)):
            yield Effect("unseen", at)

    def _drops(self, name: str) -> bool:
        """Return whether a module of torch's of that name is made with a share that it drops."""
        calls = self._program.all_calls.get(name, ()) if name in table.COMPUTING else ()
        return any(isinstance(one.node, ast.Call) and _is_dropping(one.node) for one in calls)


def trains(node: ast.AST) -> bool:
    """Return whether code makes gradients, drops them, or moves what they are of."""
    return any(
        last_name(part.func) in table.TRAINS or (last_name(part.func) == "step" and not part.args)
        for part in nodes_of(node)
        if isinstance(part, ast.Call)
    )


def _is_of_torch_or_python(full: str) -> bool:
    return full.startswith(("torch.", *table.PURE, *table.DRAWING_MODULES))


def _of_library(
    module: Module, full: str, call: ast.Call, fresh: frozenset[str]
) -> EffectKind | None:
    """Return what a function of torch's, of Python's or of numpy's does."""
    name = full.rpartition(".")[2]
    if full.startswith("builtins."):
        if name in table.RUNNING:
            return None if call.args and _only_defines(call.args[0]) else "unseen"
        return "leaves" if name in table.ACTING else None
    if full.startswith(table.DRAWING_MODULES) or name in table.DRAWS:
        return "draws"
    if full.startswith("torch.nn.") and (name in table.INITIALIZED):
        return "draws"
    if _is_dropping(call):
        return "draws"
    if name in table.COUNTING:
        return "counts"
    if name in table.LOOKS_UP:
        return None
    if name in table.SETS or full.startswith(("torch.distributed.", "torch._dynamo.")):
        return "leaves"
    first = call.args[0] if call.args else None
    is_written = is_in_place(name) or _is_in_place_by(call)
    if is_written and not (first is not None and _is_fresh(first, fresh)):
        return "leaves"
    out = keyword(call, "out")
    return "leaves" if out is not None and not _is_fresh(out, fresh) else None


def _only_defines(text: ast.expr) -> bool:
    """Return whether ``text`` is written out, and makes functions and nothing else."""
    if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
        return False
    tree = parsed(text.value)
    return tree is not None and all(isinstance(one, ast.FunctionDef) for one in tree.body)


def _of_method(call: ast.Call, owner: ast.expr, fresh: frozenset[str]) -> EffectKind | None:
    """Return what a method of a value does that is none of the program's."""
    name = last_name(call.func)
    if name in table.DRAWS or (name in table.OF_GENERATORS and name not in table.COMPUTES):
        return "draws"
    changes = is_in_place(name) or (name in containers.CHANGES and name not in table.COMPUTES)
    if changes:
        return None if _is_fresh(owner, fresh) else "leaves"
    known = table.COMPUTES | table.OF_VALUES | table.OF_MODULES | table.OF_CONTEXTS
    return None if name in known else "unseen"


def _is_excerpt(at: Site) -> bool:
    """Return whether nothing in the file binds the function that is called: it has none there."""
    assert isinstance(at.node, ast.Call)
    name, module = root_name(at.node.func), at.module
    if isinstance(at.node.func, ast.Attribute):
        return False
    is_bound = name in module.imported_names or name in module.bound_names
    return bool(name) and not is_bound and "*" not in module.imported_names


def _is_in_place_by(call: ast.Call) -> bool:
    given = keyword(call, "inplace")
    return given is not None and not is_constant(given, False)


def _is_dropping(call: ast.Call) -> bool:
    """Return whether a call is given a share to drop that is not 0."""
    given = (keyword(call, name) for name in table.DROPS)
    return any(
        one is not None and not (isinstance(one, ast.Constant) and not one.value) for one in given
    )


def _leaves(node: ast.AST, fresh: frozenset[str]) -> bool:
    """Return whether a node that is no call leaves something behind."""
    if isinstance(node, ast.Yield | ast.YieldFrom | ast.Await | ast.NamedExpr):
        return not isinstance(node, ast.NamedExpr) or node.target.id not in fresh
    if isinstance(node, ast.Global | ast.Nonlocal):
        return True
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        return node.target.id not in fresh
    if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
        return not _is_fresh(node, fresh)
    return False


def _value_of(node: ast.AST) -> ast.AST:
    """Return what a line computes that sets a variable, or returns; other nodes as they are."""
    if isinstance(node, ast.Assign):
        return node.value if all(map(_is_of_names, node.targets)) else node
    if isinstance(node, ast.AnnAssign | ast.AugAssign):
        return node.value or node if isinstance(node.target, ast.Name) else node
    return node.value or node if isinstance(node, ast.Return) else node


def _is_of_names(target: ast.expr) -> bool:
    return all(isinstance(one, ast.Name) for one in parts_of(target))


def _placed(node: ast.AST) -> ast.expr | ast.stmt:
    assert isinstance(node, ast.expr | ast.stmt)
    return node


def _is_fresh(value: ast.expr, fresh: frozenset[str]) -> bool:
    """Return whether ``value`` is of an object that the function has made itself."""
    root = root_of(value)
    if isinstance(root, ast.Call):
        return not _is_of_same_memory(root)
    return isinstance(root, _DISPLAYS) or (isinstance(root, ast.Name) and root.id in fresh)


def _is_of_same_memory(call: ast.Call) -> bool:
    name = last_name(call.func)
    return name in tensors.OF_SAME_MEMORY or is_in_place(name)


def _made_within(function: Site) -> frozenset[str]:
    """Return the variables of a function that hold only what it has made itself.

    Also the object that a constructor fills, and the context of an autograd function.
    """
    node = function.node
    if not isinstance(node, _FUNCTIONS) or isinstance(node, ast.Lambda):
        return frozenset()
    own, others = set[str](), set(parameters_of(node))
    for part in nodes_of(node):
        if isinstance(part, ast.Assign | ast.AnnAssign) and part.value is not None:
            targets = part.targets if isinstance(part, ast.Assign) else [part.target]
            made = isinstance(part.value, _DISPLAYS) or (
                isinstance(part.value, ast.Call) and not _is_of_same_memory(part.value)
            )
            for target in targets:
                bound = {one.id for one in nodes_of(target) if isinstance(one, ast.Name)}
                is_whole = isinstance(target, ast.Name)
                (own if made and is_whole else others if is_whole else set()).update(bound)
        elif isinstance(part, ast.For | ast.comprehension | ast.NamedExpr):
            others |= {one.id for one in nodes_of(part.target) if isinstance(one, ast.Name)}
        elif isinstance(part, ast.Global | ast.Nonlocal):
            others |= set(part.names)
    numbers = {one.arg for one in node.args.args if _is_number(one.annotation)}
    first = parameters_of(node)[:1]
    is_filled = node.name in ("__init__", "__post_init__") or _is_of_autograd(function)
    return frozenset((own - others) | numbers | (set(first) if is_filled else set()))


def _is_number(annotation: ast.expr | None) -> bool:
    return annotation is not None and last_name(annotation) in ("int", "float", "bool")


def _is_of_autograd(function: Site) -> bool:
    """Return whether a function is the forward or backward of an autograd function."""
    owner = function.module.owner(function.node)
    return owner is not None and any(last_name(base) == "Function" for base in owner.bases)


def _is_property(function: ast.FunctionDef) -> bool:
    return any("property" in last_name(one) for one in function.decorator_list)


def _parameters_around(site: Site) -> frozenset[str]:
    """Return the parameters of the functions around an expression."""
    return frozenset(
        name
        for around in site.module.around(site.node)
        if isinstance(around, _FUNCTIONS)
        for name in parameters_of(around)
    )
