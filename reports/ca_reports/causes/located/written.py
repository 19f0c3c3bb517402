"""No copy for a tensor that the compiled function writes to: what is written would get lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.findings import MadeAlike, OtherLayout
from ca_reports.causes.located.arguments import inside
from ca_reports.program.writes import written_at
from ca_reports.sentences.places import in_brief

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.causes.located.trail import Trail
    from ca_reports.program.syntax import Site

_LAYOUT = "memory layout"


def advice(trail: Trail) -> str | None:
    """Return what to do in the place of a copy or a conversion; None where either is right.

    `ca fix` asks the same (`fixes/writes.py`), and makes no copy there.
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
    name, site = found
    at = in_brief(site.frame)
    if not alike:
        return (
            "pass two different tensors in every call, or the same one always, whichever the "
            f"program means: {at} writes to `{name}`, and a copy that is made for the call would "
            "get that instead"
        )
    return (
        f"give `{name}` one {alike} where it is made: {at} writes to it, and a copy that is made "
        "for the call would get that instead"
    )


def _written(names: Sequence[str], trail: Trail) -> tuple[str, Site] | None:
    """The first of these arguments that the compiled function writes to, and where it does."""
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
