"""``ca check --format json``: keys are stable, new ones may be added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ca_reports.gates.baseline import as_json
from ca_reports.logs.names import shown
from ca_reports.output import json
from ca_reports.output.reported import headline
from ca_reports.words.clean import json_text

if TYPE_CHECKING:
    from ca_reports.gates.gate import Check, Verdict


def render(verdict: Verdict) -> str:
    """Return one JSON object; its keys are stable."""
    settings, places = verdict.settings, verdict.analysis.places
    document = {
        "schema_version": json.FORMAT_VERSION,
        "generator": "ca",
        # As everywhere, null is what nobody can tell.
        "ok": verdict.ok if verdict.inconclusive_reason is None else None,
        "headline": headline(verdict),
        "config": None if settings.source is None else shown(settings.source),
        "baseline": shown(settings.baseline) if settings.baseline is not None else None,
        "budgets": [_budget(check, verdict) for check in verdict.checks],
        "findings": [
            {
                "state": judged.state,
                "fails": judged.fails,
                "fingerprint": judged.found.fingerprint,
                "path": None if location is None else places.in_repository(location.file),
                **json.finding_document(finding),
            }
            for judged in verdict.findings
            for finding in [judged.found.finding]
            for location in [finding.location]
        ],
        "gone": [as_json(entry) for entry in verdict.gone],
        "notes": list(verdict.notes),
        "summary": json.summary_document(verdict.analysis.summary),
    }
    return json_text(document)


def _budget(check: Check, verdict: Verdict) -> dict[str, Any]:
    position = {id(judged.found): index for index, judged in enumerate(verdict.findings)}
    return {
        "name": check.kind.key,
        "limit": check.limit,
        "found": check.found,
        "ok": check.ok,
        "process": check.process,
        "findings": [position[id(one)] for one in check.behind],
    }
