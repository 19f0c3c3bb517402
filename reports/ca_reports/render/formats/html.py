"""One HTML file that needs nothing else."""

from ca_reports.render.format import Format, later

FORMAT = Format(
    name="html",
    suffix=".html",
    help="one page that needs nothing else",
    outcome=later("compare_html"),
    page=later("html"),
)
