"""``ca diff`` as one HTML file that needs nothing else and runs no script."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ca_engine.version import __version__
from ca_reports.output.compare_sections import sections, verdict
from ca_reports.output.templating import environment

if TYPE_CHECKING:
    from ca_reports.comparison.runs import Outcome, Side
    from ca_reports.output.compare_sections import Link


def render(outcome: Outcome) -> str:
    """Return the text of the file, to be written as UTF-8."""
    found = outcome.comparison
    return (
        environment()
        .get_template("compare.html.j2")
        .render(
            version=__version__,
            base=found.base.name,
            head=found.head.name,
            verdict=verdict(found),
            headline=outcome.headline,
            pages=[(side.name, page) for side in (found.base, found.head) if (page := _page(side))],
            failed=bool(outcome.failures),
            sections=sections(found),
            address=_address,
        )
    )


def _page(side: Side) -> str | None:
    """Return the address of a run's page, where it has one on this machine."""
    if side.run is None or len(side.run.paths) != 1:
        return None
    page = Path(side.run.paths[0], "report.html")
    return page.resolve().as_uri() if page.is_file() else None


def _address(link: Link) -> str | None:
    """Return where a link leads; None where that run has no page."""
    page = _page(link.side)
    return None if page is None else f"{page}#{link.anchor}"
