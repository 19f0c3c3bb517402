"""One HTML file that needs nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.output.format import Format, later

if TYPE_CHECKING:
    from ca_reports.facts.graphs.view import GraphView


def _page_with(view: GraphView) -> str:
    """Return the page of the view's run: its graphs are in it, one shown by its address."""
    from ca_reports.diagnosis.analysis import analyze
    from ca_reports.output import html

    assert view.run is not None
    return html.render(analyze(view.run))


FORMAT = Format(
    name="html",
    suffix=".html",
    help="one page that needs nothing else",
    outcome=later("compare_html"),
    page=later("html"),
    graph=_page_with,
)
