"""Lines that set what keeps graphs out of torch's caches."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.causes.located.arguments import function_at
from ca_reports.causes.located.trail import unique
from ca_reports.program.configured import assigned, compiled_with, patched
from ca_reports.program.syntax import Site
from ca_reports.program.uses import Reached
from ca_reports.torchlib import inductor
from ca_reports.torchlib.dynamo import ENTERED_BY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.located.trail import Trail


def custom_pass(trail: Trail) -> list[Site]:
    """Find where inductor is given a pass of the program's own."""
    return _set(trail, inductor.PASSES)


def freezing(trail: Trail) -> list[Site]:
    """Find where weights are made a part of the code."""
    return _set(trail, inductor.FREEZING)


def caches(trail: Trail) -> list[Site]:
    """Find where a cache is turned off."""
    return _set(trail, inductor.CACHES)


def entered_manager(trail: Trail) -> list[Site]:
    """Find where the compiled function enters the context manager that keeps its graph out."""
    manager = ENTERED_BY.get(trail.finding.key)
    compiled = None if manager is None else function_at(trail.finding.noticed_at, trail.flow)
    if compiled is None:
        return []
    reached = Reached(trail.names, compiled)
    return [
        site
        for site in trail.program.sites(ast.With, ast.AsyncWith)
        if any(site.module.full_name(called) == manager for called in _entered(site.node))
        and reached.has(site)
    ]


def _entered(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the functions whose results a `with` enters."""
    assert isinstance(node, ast.With | ast.AsyncWith)
    for item in node.items:
        if isinstance(item.context_expr, ast.Call):
            yield item.context_expr.func


def _set(trail: Trail, names: tuple[str, ...]) -> list[Site]:
    return unique([site for name in names for site in _sites(trail, name)])


def _sites(trail: Trail, name: str) -> Iterator[Site]:
    yield from assigned(trail.program, name)
    yield from compiled_with(trail.program, name)
    yield from patched(trail.program, name)
