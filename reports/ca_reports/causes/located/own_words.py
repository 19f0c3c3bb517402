"""Findings with arguments and hooks' variables by the names that users know them by.

Arguments of which only the place in a call is known have the names of the user's call
(`ca_reports.program.argument_names`). `mark_dynamic` and `mark_unbacked` are to be written before
the call, where the function's parameters are unknown. What a hook keeps in its closure is a
variable of the function around it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.causes.findings import KeptByHook
from ca_reports.causes.located.changes import free_variables
from ca_reports.facts.guard_paths import guard_path
from ca_reports.program.argument_names import given, is_unnamed, names_of
from ca_reports.program.syntax import FunctionNode
from ca_reports.run.model import Compile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ca_reports.causes.findings import Finding
    from ca_reports.program.syntax import Program
    from ca_reports.run.model import Frame

_BY_CELL = re.compile(r"\bhooks\[\d{1,6}\]\.__closure__\[(\d{1,3})\]\.cell_contents", re.ASCII)
_CELL = "a variable of the hook's closure"
_MARKED = re.compile(
    r"(?P<mark>\bmark_(?:dynamic|unbacked)\()(?P<name>[A-Za-z_]\w*)(?=, )", re.ASCII
)


def in_own_words(finding: Finding, program: Program) -> Finding:
    """Name arguments in the texts of ``finding`` as the user's call does, where it has names.

    Those that are known by their place only are renamed everywhere, parameters where the fix
    marks them: what is said of them is said of the function.
    """
    compiled = next((event for event in finding.events if isinstance(event, Compile)), None)
    if compiled is None:
        return finding
    if _is_of_cell(finding):
        free = {str(at): name for at, name in enumerate(_free(finding.noticed_at, program))}

        def called(text: str) -> str:
            return _BY_CELL.sub(lambda found: free.get(found[1], found[0]), text)

        return _said(finding, called(finding.message), called(finding.fix))
    if is_unnamed(finding.message + finding.fix, compiled):
        names = names_of(compiled, program)
        said = _said(finding, names.said(finding.message), names.said(finding.fix))
        return replace(said, names=names)
    parameters = {found["name"] for found in _MARKED.finditer(finding.fix)}
    known = _by_parameter(compiled, program) if parameters else {}
    if not parameters or not parameters.issubset(known):
        return finding
    fix = _MARKED.sub(lambda found: found["mark"] + known[found["name"]], finding.fix)
    return _said(finding, finding.message, fix)


def _said(finding: Finding, message: str, fix: str) -> Finding:
    return replace(finding, message=message, remedy=finding.remedy.instead(fix))


def without_cells(finding: Finding) -> Finding:
    """Return ``finding`` with words for what a hook keeps in its closure, where it has no name."""
    if not _is_of_cell(finding):
        return finding
    message, fix = (_BY_CELL.sub(_CELL, text) for text in (finding.message, finding.fix))
    return _said(finding, message, fix)


def _is_of_cell(finding: Finding) -> bool:
    return isinstance(finding.detail, KeptByHook) and finding.detail.cell is not None


def _free(hook: Frame | None, program: Program) -> list[str]:
    """Return the variables of the closure of the hook that a line is of."""
    site = program.at(hook)
    if site is None:
        return []
    function = site.node if isinstance(site.node, FunctionNode) else site.scope
    return free_variables(site.module, function) if isinstance(function, FunctionNode) else []


def _by_parameter(compiled: Compile, program: Program) -> dict[str, str]:
    """Return variables that the user's call gives for the parameters of the compiled function."""
    own, held = compiled.location, compiled.held
    if own is None or held is None:
        return {}
    order = [name for name in _parameters(held.arguments) if name not in ("self", "cls")]
    for frame in reversed(compiled.stack):
        if program.runs(frame, own):
            continue
        found = given(frame, frozenset((own.function,)), program)
        if found:
            return {
                name: found.get(name) or found[str(place)]
                for place, name in enumerate(order)
                if name in found or str(place) in found
            }
    return {}


def _parameters(arguments: Iterable[tuple[str, object]]) -> Iterable[str]:
    """Return parameters in their order, of arguments told part by part: `batch['x']`, `batch.x`."""
    return dict.fromkeys(guard_path(name).root for name, _ in arguments)
