"""No copy for a tensor that the compiled function writes to: what is written would get lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.findings import MadeAlike, OtherLayout
from ca_reports.causes.located.arguments import inside
from ca_reports.facts.guard_paths import referring
from ca_reports.program.writes import shared_names, written_at
from ca_reports.sentences.places import in_brief

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.causes.located.trail import Trail
    from ca_reports.causes.remedies import Remedy
    from ca_reports.program.syntax import Site

_LAYOUT = "memory layout"
_TWO_OR_ONE = (
    "use two different tensors in every call, or the same one always, whichever the program means"
)


def remedy(trail: Trail) -> Remedy | None:
    """Return what to do in the place of a copy or a conversion; None where either is right.

    `ca fix` asks the same (`patching/writes.py`), and makes no copy there.
    """
    finding = trail.finding
    names: tuple[str, ...]
    if isinstance(finding.detail, OtherLayout):
        names, alike = (finding.subject.source,), _LAYOUT
    elif isinstance(finding.detail, MadeAlike):
        names, alike = finding.detail.names, finding.detail.alike
    else:
        return None
    found = _written(names, trail)
    if found is None:
        return None
    name, site = referring(found[0]), found[1]
    at = in_brief(site.frame)
    if not alike:
        return finding.remedy.instead(
            f"{_TWO_OR_ONE}: {at} writes to `{name}`, and a copy would get that instead"
        )
    return finding.remedy.instead(
        f"give `{name}` one {alike} where it is made: {at} writes to it, and a copy that is made "
        "for the call would get that instead"
    )


def remedy_at(site: Site, trail: Trail) -> Remedy | None:
    """Return what to do in the place of a copy at the line of ``site``; None if a copy is right."""
    known = trail.finding.detail
    if not isinstance(known, MadeAlike) or known.names:
        return None
    names = shared_names(site.module, site.node)
    functions = trail.program.functions
    found = written_at(
        site.module, site.scope, names, lambda called: functions.get(called, ()), always=names
    )
    if found is None:
        return None
    them = " or ".join(f"`{name}`" for name in names)
    return trail.finding.remedy.instead(
        f"{_TWO_OR_ONE}: {in_brief(found.frame)} writes to {them}, and a copy would miss that"
    )


def _written(names: Sequence[str], trail: Trail) -> tuple[str, Site] | None:
    """Find the first of these arguments that the compiled function writes to, and where."""
    functions = trail.program.functions
    for compiled in trail.compiles[:1]:
        start = inside(compiled.location, trail.flow)
        for name in names if start is not None else ():
            assert start is not None
            found = written_at(
                start.module, start.scope, {name}, lambda called: functions.get(called, ())
            )
            if found is not None:
                return name, found
    return None
