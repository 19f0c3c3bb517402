"""``ca diff`` as one HTML file that needs nothing else and runs no script."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import jinja2

from ca_engine.version import __version__
from ca_reports.render.compare_sections import sections
from ca_reports.render.html import finalize

if TYPE_CHECKING:
    from ca_reports.comparison.runs import Outcome


def render(outcome: Outcome) -> str:
    """The text of the file, to be written as UTF-8."""
    found = outcome.comparison
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template("compare.html.j2").render(
        version=__version__,
        base=found.base.name,
        head=found.head.name,
        headline=outcome.headline,
        failed=bool(outcome.failures),
        sections=sections(found),
    )
