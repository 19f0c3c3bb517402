"""The line that gives an argument another number of dimensions in some calls (CA709)."""

from __future__ import annotations

import ast
from itertools import chain
from typing import TYPE_CHECKING

from ca_reports.causes.located.arguments import call, inside
from ca_reports.causes.located.trail import is_conditional, unique
from ca_reports.facts.guard_paths import guard_path
from ca_reports.program.syntax import Site, keyword, last_name, root_name
from ca_reports.torchlib import shapes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.located.trail import Trail
    from ca_reports.run.model import Compile


def rank(trail: Trail) -> list[Site]:
    """Find a `squeeze()` of whatever has size 1, else what a branch adds or takes, or the call."""
    made = [site for compiled in trail.compiles[:1] for site in _made(compiled, trail)]
    for is_it in (_squeezes_anything, _changes_in_a_branch):
        found = unique(site for site in made if is_it(site))
        if len(found) == 1:
            return found
    return call(trail)


def _made(compiled: Compile, trail: Trail) -> Iterator[Site]:
    """Yield what the argument is made of outside the compiled function, also in collating."""
    flow, start = trail.flow, inside(compiled.location, trail.flow)
    names = [
        name
        for guard in compiled.failed_guards
        if guard.kind == "rank" and (name := guard_path(guard.source).root)
    ]
    if start is None or not names:
        return
    made = flow.feeding(*flow.assigned(names[0], start))
    collated = [each for one in trail.names.collating for each in trail.names.results(one)]
    for site in chain(made, flow.feeding(*collated)):
        if site.scope is not start.scope:
            yield site


def _squeezes_anything(site: Site) -> bool:
    node = site.node
    return (
        isinstance(node, ast.Call)
        and last_name(node.func) == "squeeze"
        and isinstance(node.func, ast.Attribute)
        and keyword(node, "dim") is None
        # `torch.squeeze(x)` has the tensor first.
        and len(node.args) == (root_name(node.func) in site.module.library_names)
    )


def _changes_in_a_branch(site: Site) -> bool:
    node = site.node
    if isinstance(node, ast.Subscript):
        changes = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int)
    else:
        changes = isinstance(node, ast.Call) and last_name(node.func) in shapes.CHANGES_RANK
    return changes and is_conditional(site)
