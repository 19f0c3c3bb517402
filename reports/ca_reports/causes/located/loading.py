"""The data loader that a loop goes over, by what its variable held when the loop ran."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, cast

from ca_reports.causes.located.trail import unique
from ca_reports.program.syntax import Site, bound_function, called_name, last_name
from ca_reports.torchlib import loaders

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.located.trail import Trail
    from ca_reports.run.loaders import RecordedLoader

# What goes over a loader, and makes none.
_OVER = frozenset(
    ("enumerate", "iter", "tqdm", "zip", "islice", "cycle", "chain", "next", "prepare")
)


def looped_over(trail: Trail) -> list[Site]:
    """Find calls that may have made the loader of the innermost loop around the finding's events.

    Where a helper chooses the class, or the source does not show it, this is the user's call of
    the helper. None where no loader was recorded, or none that leaves such a short batch.
    """
    for loop in reversed(trail.flow.loops):
        node = loop.node
        if not isinstance(node, ast.For | ast.AsyncFor):
            continue
        for loader, held in _held(loop, node, trail):
            return _made(held, trail) if _gives(loader, trail.finding.subject.values) else []
    return []


def _gives(loader: RecordedLoader, sizes: tuple[int, ...]) -> bool:
    """Return whether ``loader`` gives batches of these sizes: a whole one, and the last.

    What cuts a batch up after it was loaded has another size for the whole ones.
    """
    if loader.drop_last or len(sizes) != 2:
        return not loader.drop_last
    whole, short = sizes
    return loader.batch_size == whole and loader.short_batch in (None, short)


def recorded(trail: Trail) -> tuple[RecordedLoader, ...]:
    """Return the loaders that were seen with the first event that has any."""
    of_captures = [capture.loaders for capture in trail.captures]
    of_compiles = [compiled.held.loaders for compiled in trail.compiles if compiled.held]
    return next(filter(None, (*of_captures, *of_compiles)), ())


def _held(
    loop: Site, node: ast.For | ast.AsyncFor, trail: Trail
) -> Iterator[tuple[RecordedLoader, Site]]:
    parts = {ast.unparse(part): part for part in ast.walk(node.iter) if isinstance(part, ast.expr)}
    for loader in recorded(trail):
        inside = node.lineno <= (loader.line or 0) <= (node.end_lineno or node.lineno)
        if inside and loader.file == loop.module.file and loader.variable in parts:
            yield loader, Site(loop.module, parts[loader.variable])


def _on_stack(held: Site, trail: Trail) -> Site:
    """Find what the stack's call gives for a parameter: `run(model, loaders["val"])`; or ``held``.

    A function that goes over the loaders of the training and of an evaluation has two callers.
    """
    function = held.scope
    if not isinstance(held.node, ast.Name) or not isinstance(function, ast.FunctionDef):
        return held
    given = trail.flow.arguments(Site(held.module, function), held.node.id)
    lines = {(frame.file, frame.line) for frame in trail.flow.stack}
    found = [
        site
        for site, parts in (() if given is None else given.found)
        if not parts and (site.module.file, site.line) in lines
    ]
    return found[0] if len(found) == 1 else held


def _made(held: Site, trail: Trail) -> list[Site]:
    held = _on_stack(held, trail)
    ways = [
        [
            site
            for site in (*origin.way, origin.site)
            if isinstance(site.node, ast.Call) and called_name(site.node) not in _OVER
        ]
        for origin in trail.origins.of(held)
    ]
    made = unique(way[-1] for way in ways if way)
    if len(made) == 1 and _is_of_class(made[0], trail):
        return made
    return unique(way[0] for way in ways if way)


def _is_of_class(made: Site, trail: Trail) -> bool:
    """Return whether a call is of `DataLoader`, or of what `partial(DataLoader, …)` is kept as."""
    name = called_name(cast("ast.Call", made.node))
    kept = [one.node for one in trail.flow.assigned(name, made)]
    return name in loaders.BATCHING or any(
        (made_by := bound_function(node)) is not None and last_name(made_by) in loaders.BATCHING
        for node in kept
    )
