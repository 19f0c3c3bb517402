"""Flags that the branch which tests them sets, as that of a cache which the first call fills."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.causes.located.arguments import function_at
from ca_reports.program.syntax import FunctionNode, Site, targets_of
from ca_reports.program.uses import Reached
from ca_reports.sentences.places import in_brief

if TYPE_CHECKING:
    from ca_reports.causes.located.trail import Trail
    from ca_reports.causes.remedies import Remedy


def remedy(trail: Trail, site: Site) -> Remedy | None:
    """Return what to do where ``site`` sets a flag in a branch on that flag, in compiled code.

    The first call takes the branch, and the others do not. Nothing that is passed in as a tensor
    could take its place: the branch stores what the later calls read.
    """
    flag, branch = _tested(site)
    compiled = None if branch is None else function_at(trail.compiled_at, trail.flow)
    if branch is None or compiled is None or not Reached(trail.names, compiled).has(site):
        return None
    return trail.finding.remedy.by_hand(
        f"do what the branch on `{flag}` does ({in_brief(branch.frame)}) before the compiled "
        "function is called, outside of it: it fills what later calls read, and the flag is then "
        "the same in all of them"
    )


def _tested(site: Site) -> tuple[str, Site | None]:
    """Return the flag that a statement sets to True or False, and the `if` around it that asks."""
    value = getattr(site.node, "value", None)
    if not (isinstance(value, ast.Constant) and isinstance(value.value, bool)):
        return "", None
    set_there = {
        ast.unparse(target)
        for target in targets_of(site.node)
        if isinstance(target, ast.Attribute | ast.Subscript)
    }
    for around in site.module.around(site.node):
        if isinstance(around, FunctionNode):
            break
        if isinstance(around, ast.If):
            for part in ast.walk(around.test):
                if isinstance(part, ast.Attribute | ast.Subscript):
                    flag = ast.unparse(part)
                    if flag in set_there:
                        return flag, Site(site.module, around)
    return "", None
