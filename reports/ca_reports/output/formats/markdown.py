"""Markdown, for job summaries and comments."""

from ca_reports.output.format import Format, later

FORMAT = Format(
    name="markdown",
    suffix=".md",
    help="for a comment or a job summary",
    report=later("markdown"),
    outcome=later("compare_markdown"),
    fixes=later("fixes_markdown"),
    start=later("caches_markdown"),
    sizes=later("sizes_markdown"),
    comment=("<!-- ", " -->"),
)
