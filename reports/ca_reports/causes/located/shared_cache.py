"""Finds a `torch.compile` that runs several times for one code: its results share a limit.

Dynamo keeps what it compiled, and counts up to the limit, by the code of a function. A function
that is compiled for each customer, or a `forward` for each layer, has one cache for all of them.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.causes.located.modes import compiling
from ca_reports.program.scopes import COMPREHENSIONS
from ca_reports.program.syntax import LOOPS, Definition, FunctionNode, last_name
from ca_reports.run.model import Compile
from ca_reports.sentences.places import in_brief

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.causes.located.trail import Trail
    from ca_reports.program.syntax import Program, Site


def with_shared_cache(finding: Finding, trail: Trail) -> Finding:
    """Return ``finding`` with what several compiles of one code have in common, if it hit a limit.

    Measured on torch 2.13.0: eleven `torch.compile` of one function, `dynamic=False`, a size for
    each: 7 recompiles and the limit; with `isolate_recompiles=True` neither.
    """
    refused = [one for one in finding.events if isinstance(one, Compile) and one.is_refused]
    if not refused or refused[0].code is None or finding.is_note:
        return finding
    function = refused[0].code.function
    sites = compiling(trail)
    if len(sites) != 1 or not (_compiles(sites[0], function) and _runs_often(sites[0], trail)):
        return finding
    said = (
        f"{finding.fix}; each time that {in_brief(sites[0].frame)} compiles `{function}`, what it "
        "returns uses the cache and the limit of the one before: `isolate_recompiles=True` "
        "(torch 2.13) gives each its own"
    )
    return replace(finding, remedy=finding.remedy.instead(said))


def _compiles(site: Site, function: str) -> bool:
    """Return whether a call of `torch.compile` is for a function, or for a module's ``forward``."""
    assert isinstance(site.node, ast.Call)
    given = site.node.args[0] if site.node.args else None
    if isinstance(given, ast.Name | ast.Attribute):
        name = last_name(given)
        return name == function or (function == "forward" and not _is_function(name, site))
    return False


def _is_function(name: str, site: Site) -> bool:
    return any(isinstance(one, Definition) and one.name == name for one in site.module.nodes)


def _runs_often(site: Site, trail: Trail) -> bool:
    """Return whether a line runs more than once: in a loop, or in a function that is called so."""
    if _is_repeated(site):
        return True
    scope = site.scope
    if not isinstance(scope, Definition):
        return False
    owner = site.module.owner(scope)
    name = owner.name if owner is not None and scope.name == "__init__" else scope.name
    calls = _calls(name, trail.program)
    return len(calls) > 1 or any(map(_is_repeated, calls))


def _calls(name: str, program: Program) -> list[Site]:
    return list({site.place: site for site in program.calls(name)}.values())


def _is_repeated(site: Site) -> bool:
    """Return whether a node is in a loop or a comprehension of its function."""
    for part in site.module.around(site.node):
        if isinstance(part, FunctionNode):
            return False
        if isinstance(part, (*LOOPS, *COMPREHENSIONS)):
            return True
    return False
