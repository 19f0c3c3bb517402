"""Findings with arguments and hooks' variables by the names that users know them by.

Arguments of which only the place in a call is known have the names of the user's call
(`ca_reports.facts.argument_names`). `mark_dynamic` and `mark_unbacked` are to be written before
the call, where the function's parameters are unknown. What a hook keeps in its closure is a
variable of the function around it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.causes.findings import KeptByHook
from ca_reports.causes.located.changes import free_variables
from ca_reports.facts.argument_names import ArgumentNames, given, names_of
from ca_reports.facts.guard_paths import guard_path
from ca_reports.program.syntax import FunctionNode
from ca_reports.run.model import Compile
from ca_reports.words.references import parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ca_reports.causes.findings import Finding
    from ca_reports.program.syntax import Program
    from ca_reports.run.model import Frame


def named(finding: Finding, program: Program | None) -> Finding:
    """Return ``finding`` with names in place of the references in its texts.

    Those that the source tells, else those of torch, which it has without a ``program``.
    """
    observed = [one.text for one in finding.evidence]
    texts = (finding.message, finding.fix, finding.chain or "", *observed)
    referred = {reference.name for text in texts for reference, _ in parts(text)[1]}
    if not referred:
        return finding
    names = ArgumentNames() if program is None else _names(finding, referred, program)
    return replace(
        finding,
        message=names.said(finding.message),
        remedy=finding.remedy.said(names.said),
        chain=finding.chain and names.said(finding.chain),
        evidence=tuple(replace(one, text=names.said(one.text)) for one in finding.evidence),
        names=names,
    )


def _names(finding: Finding, referred: Iterable[str], program: Program) -> ArgumentNames:
    """Return the names of what a finding refers to."""
    compiled = next((event for event in finding.events if isinstance(event, Compile)), None)
    if compiled is None:
        return ArgumentNames()
    if isinstance(finding.detail, KeptByHook) and finding.detail.cell is not None:
        return ArgumentNames(cells=dict(enumerate(_free(finding.noticed_at, program))))
    unnamed = [path for path in map(guard_path, referred) if path.steps or path.is_wrapped]
    parameters = {*referred} - {path.text for path in unnamed}
    names = names_of(compiled, program) if unnamed else ArgumentNames()
    known = _by_parameter(compiled, program) if parameters else {}
    # Of two that are to be marked, both have the call's names, or the function's.
    return replace(names, parameters=known if parameters.issubset(known) else {})


def _free(hook: Frame | None, program: Program) -> list[str]:
    """Return the variables of the closure of the hook that a line is of."""
    site = program.at(hook)
    if site is None:
        return []
    function = site.node if isinstance(site.node, FunctionNode) else site.scope
    return free_variables(site.module, function) if isinstance(function, FunctionNode) else []


def _by_parameter(compiled: Compile, program: Program) -> Mapping[str, str]:
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
