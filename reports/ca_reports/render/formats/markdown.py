"""Markdown, for job summaries and comments."""

from ca_reports.render import compare_markdown, fixes_markdown, markdown
from ca_reports.render.format import Format

FORMAT = Format(
    name="markdown",
    suffix=".md",
    help="for a comment or a job summary",
    report=markdown.render,
    outcome=compare_markdown.render,
    fixes=fixes_markdown.render,
    comment=("<!-- ", " -->"),
)
