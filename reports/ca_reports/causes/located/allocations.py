"""Finds where a blank tensor is made of another size each time: a cache for each request."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.causes.located.arguments import argument
from ca_reports.program.syntax import FunctionNode, Site, called_name, parameters_of
from ca_reports.torchlib import shapes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.located.trail import Trail

_MAX_CALLS = 6


def allocation(trail: Trail) -> Site | None:
    """Return the call that decides how large the finding's argument is made; None if none does.

    A tensor that is made of nothing but a size, `torch.zeros(1, length, width)`, which is a
    parameter of a constructor or a helper: the call of that in the steps. What a warm-up makes
    itself is no such tensor: it stands for data.
    """
    given = argument(trail)
    if given is None or given.dimension is None:
        return None
    for site in given.made_of:
        node = site.node
        if isinstance(node, ast.Call) and called_name(node) in shapes.BLANK:
            return _climbed(site, node, given.dimension, trail)
    return None


def _climbed(maker: Site, node: ast.Call, dimension: int, trail: Trail) -> Site | None:
    sizes = [*_sizes(node)]
    if dimension >= len(sizes) or any(isinstance(one, ast.Starred) for one in sizes):
        return None
    found, amount = maker, Site(maker.module, sizes[dimension])
    for _ in range(_MAX_CALLS):
        function = found.scope
        name = amount.node.id if isinstance(amount.node, ast.Name) else ""
        if not isinstance(function, FunctionNode) or name not in parameters_of(function):
            break
        known = trail.flow.arguments(Site(found.module, function), name)
        every = [] if known is None else [one for one, parts in known.found if not parts]
        if len(every) != 1:
            return None  # several calls, or none that is known
        amount = every[0]
        found = next(
            (
                Site(amount.module, one)
                for one in amount.module.around(amount.node)
                if isinstance(one, ast.Call)
            ),
            amount,
        )
    is_chosen = found is not maker and not isinstance(amount.node, ast.Constant)
    return found if is_chosen and trail.flow.is_in_steps(found) else None


def _sizes(node: ast.Call) -> Iterator[ast.expr]:
    """Yield the sizes that a maker of tensors is given, one by one or as one tuple."""
    sizes = node.args[: 1 if called_name(node) in shapes.SIZE_AT else None]
    if len(sizes) == 1 and isinstance(sizes[0], ast.Tuple | ast.List):
        sizes = sizes[0].elts
    yield from sizes
