"""Functions that take a gradient by themselves, of a tensor that they ask one of.

Dynamo traces neither the asking nor the backward: written otherwise, one of them still ends the
graph, as the other does. `torch.func.grad` it traces. Measured on torch 2.13.0, an activation that
keeps its derivative, in two layers: 7 graphs; with `torch.func.grad` or the formula 1, with a copy
that asks for its gradient 7, with `torch.compiler.disable` on the activation 4.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.program.syntax import Site, keyword, targets_of
from ca_reports.sentences.places import in_brief

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.program.syntax import Module


@dataclass(frozen=True)
class OwnGradient:
    """The ``call`` by which a ``function`` takes a gradient of its ``variable``.

    ``code`` is what is called.
    """

    call: Site
    code: str
    function: str
    variable: str

    @property
    def is_backward(self) -> bool:
        """Return whether `backward()` takes it, which also fills ``.grad``."""
        return self.code.endswith(".backward")

    @property
    def advice(self) -> str:
        """Say what takes the gradient within the graph, or leaves it out."""
        return (
            f"`{self.function}` takes a gradient of `{self.variable}` by itself (`{self.code}(…)`, "
            f"{in_brief(self.call.frame)}), which ends the graph whichever way it is asked for: "
            "write the derivative down as a formula, or take it by `torch.func.grad`, which Dynamo "
            f"traces; or decorate `{self.function}` with `@torch.compiler.disable`, which is one "
            "break for each call"
        )


def own_gradient(site: Site | None) -> OwnGradient | None:
    """Find the gradient that the function of a line takes, if the line asks for it or takes it."""
    function = None if site is None else site.scope
    if site is None or not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    name = site.module.named(function)
    asking = list(_asking(function))
    return next(
        (
            OwnGradient(call, called, name, variable)
            for call, called, of in _taking(site.module, function)
            for variable, line in asking
            if variable in of and site.line in (line, call.line)
        ),
        None,
    )


def asked_for(site: Site | None) -> str:
    """Return the variable that a line asks gradients of; empty if it asks of none."""
    function = None if site is None else site.scope
    if site is None or not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return ""
    return next((name for name, line in _asking(function) if line == site.line), "")


def _asking(function: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield the variables that a function asks gradients of, and in which line."""
    for node in ast.walk(function):
        targets = targets_of(node)
        made = [one.id for one in targets if isinstance(one, ast.Name)]
        for target in targets:
            if isinstance(target, ast.Attribute) and target.attr == "requires_grad":
                yield from ((name, target.lineno) for name in _names(target.value))
        if not isinstance(node, ast.Assign | ast.Expr):
            continue
        for part in ast.walk(node):
            if isinstance(part, ast.Attribute) and part.attr == "requires_grad_":
                yield from ((name, node.lineno) for name in (*made, *_names(part.value)))


def _taking(module: Module, function: ast.AST) -> Iterator[tuple[Site, str, set[str]]]:
    """Yield the calls that take gradients, with the variables that these are of."""
    nodes = list(ast.walk(function))
    read = [one for one in nodes if isinstance(one, ast.Attribute) and one.attr == "grad"]
    for node in nodes:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr == "backward":
            of = {name for one in read for name in _names(one.value)}
            yield Site(module, node), ast.unparse(node.func), of
        elif module.full_name(node.func) == "torch.autograd.grad":
            given = keyword(node, "inputs") or next(iter(node.args[1:2]), None)
            of = set() if given is None else _names(given)
            yield Site(module, node), ast.unparse(node.func), of


def _names(node: ast.expr) -> set[str]:
    """Return the variables that an expression is, or is a tuple of."""
    parts = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
    return {one.id for one in parts if isinstance(one, ast.Name)}
