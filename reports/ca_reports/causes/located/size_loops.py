"""Finds loops of the compiled code whose rounds a size counts: Dynamo writes out each round."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.program.scopes import COMPREHENSIONS
from ca_reports.program.syntax import last_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.located.trail import Trail
    from ca_reports.program.syntax import Site


@dataclass(frozen=True, slots=True)
class SizeLoop:
    """``over`` is what the loop goes over, as the program writes it.

    ``called`` is the function of the program's that one round calls; empty if there is none, or
    more than one.
    """

    over: str
    called: str


def size_loop(site: Site, trail: Trail) -> SizeLoop | None:
    """Return the loop whose head is on the line of ``site``; None if none is."""
    for node in (site.node, *site.module.around(site.node)):
        for over, body in _loops(node):
            if over.lineno <= site.line <= (over.end_lineno or over.lineno):
                return SizeLoop(ast.unparse(over), _called(body, trail))
    return None


def _loops(node: ast.AST) -> Iterator[tuple[ast.expr, list[ast.AST]]]:
    """Yield what a loop, or a comprehension in the statement, goes over, and what a round does."""
    if isinstance(node, ast.For | ast.AsyncFor):
        yield node.iter, [*node.body]
    elif isinstance(node, ast.stmt) and not hasattr(node, "body"):
        for part in ast.walk(node):
            if isinstance(part, COMPREHENSIONS):
                elements = [part.key, part.value] if isinstance(part, ast.DictComp) else [part.elt]
                for generator in part.generators:
                    yield generator.iter, [*elements]


def _called(body: list[ast.AST], trail: Trail) -> str:
    names = {
        ast.unparse(part.func)
        for statement in body
        for part in ast.walk(statement)
        if isinstance(part, ast.Call) and last_name(part.func) in trail.program.functions
    }
    return names.pop() if len(names) == 1 else ""
