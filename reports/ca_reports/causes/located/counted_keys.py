"""Numbers that are counted up for ever, under which a dict is filled that a hook looks up.

The captured backward reads an entry by its key, which is a constant there: with the next number it
is compiled again. Measured on torch 2.13.0, saved-tensor hooks that keep copies, 4 steps: 3
recompiles; with numbers that start again in each step, or the copy packed itself, none.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.causes.located.changes import variable_of_cell
from ca_reports.causes.located.rounds import in_constructor
from ca_reports.program.syntax import FunctionNode, Site, last_name, targets_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.findings import KeptByHook
    from ca_reports.causes.located.trail import Trail


@dataclass(frozen=True)
class CountedKey:
    """The line that counts ``counter``, and ``filler``, the function that fills ``table`` by it.

    ``is_returned`` says that the function gives the key back, as `pack` does for `unpack`.
    """

    counting: Site
    counter: str
    filler: str
    table: str
    is_returned: bool


def counted_key(known: KeptByHook, trail: Trail) -> CountedKey | None:
    """Find the number under which the hook's dict is filled; None unless it is only counted up."""
    finding = trail.finding
    table = known.attribute or known.state
    if known.cell is not None:
        table = variable_of_cell(known.cell, finding.location, trail.flow)
    own = trail.names.with_own(table, trail.program.at(finding.noticed_at or finding.location))
    keys = (
        (Site(filled.module, target.slice), target.value)
        for filled in trail.program.sites(ast.Assign)
        for target in targets_of(filled.node)
        if isinstance(target, ast.Subscript)
        and last_name(target.value) == table
        and not (
            isinstance(target.value, ast.Attribute)
            and trail.names.is_another(Site(filled.module, target.value.value), own)
        )
    )
    return next((found for one in keys if (found := _counted(*one, trail)) is not None), None)


def _counted(key: Site, table: ast.expr, trail: Trail) -> CountedKey | None:
    function = key.scope
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    values = [key, *_given(key)]
    for held in values:
        counter = _counter(held.node)
        counting = None if counter is None else _counting(held, counter, function)
        if counter is None or counting is None or _is_set_elsewhere(counter, counting, trail):
            continue
        name = key.module.named(function)
        written = {ast.dump(one.node) for one in values}
        returned = (one.value for one in ast.walk(function) if isinstance(one, ast.Return))
        is_returned = any(one is not None and ast.dump(one) in written for one in returned)
        return CountedKey(counting, ast.unparse(counter), name, ast.unparse(table), is_returned)
    return None


def _given(key: Site) -> Iterator[Site]:
    """Yield what a variable is assigned: ``self.next_id`` of ``key = self.next_id``."""
    made = key.module.bindings.definitions(key.node) if isinstance(key.node, ast.Name) else ()
    for name in made:
        statement = key.module.parents.get(name)
        if isinstance(statement, ast.Assign):
            yield Site(key.module, statement.value)


def _counter(key: ast.AST) -> ast.Name | ast.Attribute | None:
    """Return what counts: itself, or the iterator of ``next(self.numbers)``."""
    if isinstance(key, ast.Call) and last_name(key.func) == "next" and len(key.args) == 1:
        key = key.args[0]
    return key if isinstance(key, ast.Name | ast.Attribute) else None


def _counting(held: Site, counter: ast.expr, function: ast.AST) -> Site | None:
    """Return the line of the function that adds to the number, or takes the next one."""
    if isinstance(held.node, ast.Call):
        return held
    adding = (
        Site(held.module, node)
        for node in ast.walk(function)
        if isinstance(node, ast.AugAssign)
        and isinstance(node.op, ast.Add)
        and ast.unparse(node.target) == ast.unparse(counter)
    )
    return next(adding, None)


def _is_set_elsewhere(counter: ast.Name | ast.Attribute, counting: Site, trail: Trail) -> bool:
    """Return whether a function may start the number again: its maker alone begins it."""
    return any(
        last_name(counter) in map(last_name, targets_of(site.node))
        and isinstance(site.scope, FunctionNode)
        and not in_constructor(site)
        and (isinstance(counter, ast.Attribute) or _shares(site, counter, counting))
        for site in trail.program.sites(ast.Assign, ast.AnnAssign)
    )


def _shares(site: Site, variable: ast.Name, counting: Site) -> bool:
    """Return whether a function sets a variable of one around it, or its file's.

    What the function that makes the counting one sets is the begin.
    """
    makers = [one for one in counting.module.around(counting.scope) if one is not counting.scope]
    declared = any(
        isinstance(node, ast.Global | ast.Nonlocal) and variable.id in node.names
        for node in ast.walk(site.scope)
    )
    return declared and site.scope not in makers
