"""``ca diff --format json``: keys are stable, new ones may be added."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ca_reports.diagnosis.identities import Identity
from ca_reports.output import caches_json, json
from ca_reports.words.clean import json_text

if TYPE_CHECKING:
    from ca_reports.comparison.runs import Outcome
    from ca_reports.diagnosis.identities import Recognised
    from ca_reports.facts.graphs.changes import GraphChange
    from ca_reports.run.model import Capture


def render(outcome: Outcome) -> str:
    """Return one JSON object, indented by two, ending in a newline."""
    return json_text(document(outcome))


def document(outcome: Outcome) -> dict[str, Any]:
    """Return the object itself. Null where a side cannot tell."""
    found = outcome.comparison
    loss, hits = found.loss, found.hits
    return {
        "schema_version": json.FORMAT_VERSION,
        "generator": "ca",
        "ok": not outcome.failures,
        "failures": list(outcome.failures),
        "base": {"name": found.base.name, "is_run": found.base.run is not None},
        "head": {"name": found.head.name, "is_run": found.head.run is not None},
        "counts": {
            count.name.replace(" ", "_").lower(): {"base": count.before, "head": count.after}
            for count in found.counts
        },
        "findings": {
            "new": [_finding(one) for one in found.new],
            "gone": [_finding(one) for one in found.gone],
            "moved": [
                {"base": _finding(before), "head": _finding(after)} for before, after in found.moved
            ],
            "same": [_finding(after) for _, after in found.same],
        },
        "recompiled_functions": [asdict(one) for one in found.recompiled],
        "captures": {
            "new": [_capture(capture) for capture in found.new_captures],
            "gone": [_capture(capture) for capture in found.gone_captures],
            "same": [
                {"base": _capture(pair.before), "head": _capture(pair.after)}
                for pair in found.captures
            ],
        },
        "times": {
            "lost": None if loss is None else asdict(loss) | {"beyond_noise": loss.beyond_noise},
            "hits": None if hits is None else asdict(hits),
        },
        "graphs": {
            "compared": found.graphs_compared,
            "changed": [_graph(change) for change in found.graphs],
        },
        "caches": None if found.start is None else caches_json.in_short(found.start),
        "notes": list(found.notes),
    }


def _finding(one: Recognised) -> dict[str, Any]:
    if isinstance(one, Identity):
        return {"file": one.file, **json.finding_document(one.finding)}
    return {"file": one.file, "code": one.code, "function": one.function, "key": one.key}


def _capture(capture: Capture) -> dict[str, Any]:
    return {
        "id": capture.label,
        "process": capture.process,
        "kind": capture.kind,
        "step": capture.step,
        "seconds": capture.seconds.total,
    }


def _graph(change: GraphChange) -> dict[str, Any]:
    return {
        "base": _capture(change.before),
        "head": _capture(change.after),
        "added": change.added,
        "removed": change.removed,
        "changed": change.changed,
        "nodes": change.nodes,
        "names": list(change.names),
    }
