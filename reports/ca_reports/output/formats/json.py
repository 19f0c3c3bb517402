"""JSON: docs/json.md has its keys."""

from ca_reports.output.format import Format, later

FORMAT = Format(
    name="json",
    suffix=".json",
    help="everything, for programs",
    analysis=later("json"),
    verdict=later("check_json"),
    outcome=later("compare_json"),
    fixes=later("fixes_json"),
    start=later("caches_json"),
    sizes=later("sizes_json"),
    graph=later("graph_files", "json"),
)
