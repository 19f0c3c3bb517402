"""``ca fix --format json``: keys are stable, new ones may be added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ca_reports.causes.remedies import EFFECTS
from ca_reports.output import json
from ca_reports.words.clean import json_text

if TYPE_CHECKING:
    from ca_reports.patching.proof import Proof
    from ca_reports.patching.result import Fix, Fixes
    from ca_reports.patching.trial import TrialOutcome

SCHEMA_VERSION = 1


def render(fixes: Fixes) -> str:
    """Return one JSON object; its keys are stable."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "generator": "ca",
        "fixes": [_fix(found, fixes) for found in fixes.offered],
        "refused": [
            {"reason": found.refusal, "finding": json.finding_document(found.finding)}
            for found in fixes.refused
        ],
        "failed": [_fix(found, fixes) for found in fixes.failed],
        "left": [json.finding_document(found) for found in fixes.left],
        "gone": [json.finding_document(found) for found in fixes.gone],
    }
    return json_text(document)


def _fix(fix: Fix, fixes: Fixes) -> dict[str, Any]:
    return {
        "finding": json.finding_document(fix.finding),
        "also": [json.finding_document(found) for found in fix.also],
        "beside": None if fix.beside is None else json.finding_document(fix.beside),
        **_patch(fix, fixes),
        "alternatives": [_patch(other, fixes) for other in fix.alternatives],
    }


def _patch(fix: Fix, fixes: Fixes) -> dict[str, Any]:
    return {
        "what": fix.patch.what,
        "intention": fix.patch.intention or None,
        "note": fix.patch.note or None,
        "edit": fix.patch.edit,
        "effects": list(EFFECTS.get(fix.patch.edit, ())) if fix.patch.edit else [],
        "files": list(fix.patch.files),
        "diff": fixes.diff(fix),
        "proof": None if fix.proof is None else _proof(fix.proof),
    }


def _proof(proof: Proof) -> dict[str, Any]:
    return {
        "steps": proof.steps,
        "proven": not proof.failure,
        "failure": proof.failure or None,
        "cures": not proof.failure and not proof.left,
        "left": [{"code": one.code, "message": one.message} for one in proof.left],
        "losses": proof.losses,
        "differs_from": proof.differs_from,
        "compared": {
            "backwards": 0 if proof.computed is None else proof.computed.backwards,
            "gradients": proof.computed is not None and proof.computed.gradients,
            "weights": proof.computed is not None and proof.computed.weights,
            "printed_lines": proof.printed.lines,
        },
        "before": _outcome(proof.before),
        "after": _outcome(proof.after),
    }


def _outcome(outcome: TrialOutcome) -> dict[str, Any]:
    return {
        "backwards": outcome.backwards,
        "captures": outcome.captures,
        "recompiles": outcome.recompiles,
        "graph_breaks": outcome.graph_breaks,
        "compiles": outcome.compiles,
        "skipped_functions": outcome.skipped,
        "compiled_calls": outcome.calls.compiled,
        "uncompiled_calls": outcome.calls.eager,
        "seconds_lost": outcome.seconds_lost,
        "seconds_compiling": outcome.seconds_compiling,
        "seconds_a_step": outcome.seconds_a_step,
        "seconds_an_ordinary_step": outcome.ordinary_seconds,
        "losses": list(outcome.losses),
        "exit_code": outcome.exit_code,
        "error": outcome.error,
        "crashed": outcome.crashed,
    }
