"""Finds where weights begin to be computed from others: pruned, normalized, parametrized."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.causes.findings import OtherNodes
from ca_reports.causes.located.trail import best
from ca_reports.program.syntax import Site, last_name
from ca_reports.torchlib import modules

if TYPE_CHECKING:
    from ca_reports.causes.located.trail import Trail
    from ca_reports.causes.remedies import Remedy

REGISTERED_ONCE = (
    "register the parametrization (`weight_norm`, `register_parametrization`) once, before "
    "the first backward, and leave it on until the last"
)


def begun(trail: Trail) -> list[Site]:
    """Find the calls that make weights be computed in the steps, else those that end it.

    Where the parameters do not say that it is a parametrization, without those of a model's making:
    a branch may compute with a weight, too.
    """
    registering = trail.program.calls(*modules.PARAMETRIZES, *modules.UNPARAMETRIZES)
    found = [*registering, *_prunings(trail)]
    found = list(filter(trail.flow.is_in_steps, found)) or found
    known = trail.finding.detail
    if not isinstance(known, OtherNodes) or known.part != "parametrization":
        found = [site for site in found if not _makes_a_model(site)]
    return best([site for site in found if not _ends(site)] or found, trail.flow)


def remedy(trail: Trail, site: Site) -> Remedy | None:
    """Say how to compute the weights of every step; None where ``site`` is not one of ``begun``."""
    known = trail.finding.detail
    computes = isinstance(known, OtherNodes) and known.computes_weights
    is_begun = computes and site.node in {one.node for one in begun(trail)}
    if not is_begun or not isinstance(site.node, ast.Call):
        return None
    name, own = last_name(site.node.func), trail.finding.remedy
    if name in (*modules.PARAMETRIZES, *modules.UNPARAMETRIZES):
        return own.by_hand(REGISTERED_ONCE)
    if name == "remove" and _is_of_prune(site.node):
        return own.by_hand(
            "call `prune.remove` after the last step: until then the masks are in every backward"
        )
    if name in (*modules.PRUNES, "identity", "apply"):
        return own.by_hand(
            "prune from the first step on: `prune.identity(module, name)` before the training "
            "gives each of these weights a mask of ones, and what prunes later changes only the "
            "mask, so that the product is in every backward"
        )
    return None


def _prunings(trail: Trail) -> list[Site]:
    own = {
        name
        for name, classes in trail.program.classes.items()
        for one in classes
        if isinstance(one.node, ast.ClassDef)
        and modules.PRUNING_METHOD in map(last_name, one.node.bases)
    }
    applied = [
        site
        for site in trail.program.calls("apply")
        if isinstance(site.node, ast.Call)
        and _last_owner(site.node) in {*modules.PRUNING_METHODS, *own}
    ]
    vague = [
        site
        for site in trail.program.calls(*modules.PRUNES_VAGUELY)
        if isinstance(site.node, ast.Call) and _is_of_prune(site.node)
    ]
    return [*trail.program.calls(*modules.PRUNES), *applied, *vague]


def _makes_a_model(site: Site) -> bool:
    """Return whether a layer is made with it: `spectral_norm(nn.Linear(8, 8))`."""
    given = site.node.args[:1] if isinstance(site.node, ast.Call) else []
    made = [one for one in given if isinstance(one, ast.Call)]
    return any(last_name(one.func)[:1].isupper() for one in made) or (
        isinstance(site.scope, ast.FunctionDef) and site.scope.name == "__init__"
    )


def _ends(site: Site) -> bool:
    return isinstance(site.node, ast.Call) and last_name(site.node.func).startswith("remove")


def _is_of_prune(call: ast.Call) -> bool:
    return _last_owner(call) == modules.PRUNE


def _last_owner(call: ast.Call) -> str:
    """Return ``prune`` of ``nn.utils.prune.remove(…)``; empty for a plain name."""
    return last_name(call.func.value) if isinstance(call.func, ast.Attribute) else ""
