"""JSON: docs/json.md has its keys."""

from ca_reports.render import check_json, compare_json, fixes_json, json
from ca_reports.render.format import Format

FORMAT = Format(
    name="json",
    suffix=".json",
    help="everything, for programs",
    analysis=json.render,
    verdict=check_json.render,
    outcome=compare_json.render,
    fixes=fixes_json.render,
)
