"""One HTML file that needs nothing else."""

from ca_reports.render import compare_html, html
from ca_reports.render.format import Format

FORMAT = Format(
    name="html",
    suffix=".html",
    help="one page that needs nothing else",
    outcome=compare_html.render,
    page=html.render,
)
