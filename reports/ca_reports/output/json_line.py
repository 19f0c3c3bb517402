"""A run on one line, for what collects the lines of a job's log and searches their keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from ca_reports.output.json import FORMAT_VERSION, summary_document
from ca_reports.sentences.places import at_line
from ca_reports.words.clean import json_safe

if TYPE_CHECKING:
    from ca_reports.diagnosis.analysis import Analysis

# Log collectors cut lines, some at 16 KB.
FINDINGS = 10
_TEXT = 300


def render(analysis: Analysis) -> str:
    """Write a line: the summary and the ten costliest findings; ``findings_total`` counts all."""
    findings = analysis.diagnosis.findings
    line = {
        "schema_version": FORMAT_VERSION,
        "generator": "ca",
        "summary": summary_document(analysis.summary),
        "findings_total": len(findings),
        "findings": [
            {
                "code": found.code,
                "severity": found.severity,
                "message": found.message[:_TEXT],
                "location": found.location and at_line(found.location.file, found.location.line),
                "seconds": found.seconds,
            }
            for found in findings[:FINDINGS]
        ],
    }
    return json_safe(orjson.dumps(line).decode() + "\n")
