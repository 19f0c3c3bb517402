"""One line of JSON: docs/json.md has its keys."""

from ca_reports.output.format import Format, later

FORMAT = Format(
    name="json-line",
    suffix=".jsonl",
    help="summary and findings on one line, for log collectors",
    analysis=later("json_line"),
)
