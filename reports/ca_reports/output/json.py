"""The JSON of ``--format json``: keys are stable, new ones may be added.

``docs/json.md`` has the history of ``FORMAT_VERSION``.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ca_reports.causes.remedies import NoEdits
from ca_reports.costs.bill import compile_bill
from ca_reports.facts import torch_costs
from ca_reports.facts.guard_paths import readable
from ca_reports.facts.summary import backwards_of
from ca_reports.output import ranks as rank_lines
from ca_reports.sentences.failures import in_one_line
from ca_reports.words.clean import json_text

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.causes.remedies import Remedy
    from ca_reports.costs.bill import BillLine
    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.facts.dynamic_shapes import DynamicDimension
    from ca_reports.facts.recompile_limits import RecompileLimit
    from ca_reports.facts.summary import Summary
    from ca_reports.facts.torch_costs import Estimate
    from ca_reports.logs.damage import Damage
    from ca_reports.run.model import Capture, Compile, Failure, Frame, GraphBreak, Process, Recorded

# Of this and of what `ca check` and `ca diff` write; the records of a trace have their own.
FORMAT_VERSION = 3


def render(analysis: Analysis) -> str:
    """Return one JSON object, indented by two, ending in a newline; equal runs give equal text."""
    return json_text(document(analysis))


def document(analysis: Analysis) -> dict[str, Any]:
    """Return the object itself. None where the log cannot tell."""
    run, diagnosis, summary = analysis.run, analysis.diagnosis, analysis.summary
    return {
        "schema_version": FORMAT_VERSION,
        "generator": "ca",
        "summary": summary_document(summary),
        "captures": [_capture(capture) for capture in run.captures],
        "dynamo_recompiles": [_recompile(compiled) for compiled in run.recompiles],
        "graph_breaks": [_graph_break(found) for found in run.graph_breaks],
        "findings": [finding_document(found) for found in diagnosis.findings],
        "damage": [_damage(damage) for damage in run.damage],
        "silenced": dict(sorted(diagnosis.silenced.items())),
        "failed_rules": list(diagnosis.failed_rules),
        "failures": [failure_document(found) for found in summary.failures],
        "unique_graphs": summary.unique_graphs,
        "forward": {
            "compiles": summary.forward_compiles,
            "graphs": summary.forward_graphs,
            "recompiles": summary.forward_recompiles,
            "functions": summary.forward_functions,
            "seconds": summary.forward_seconds,
            "only": summary.forward_only,
        },
        "torch_would_add": {
            "capture": _estimate(torch_costs.torch_capture(run)),
            "dynamo": _estimate(torch_costs.dynamo(run.captures)),
        },
        "limitations": [
            {"subject": found.subject, "text": found.text} for found in analysis.limitations
        ],
        "processes": [_process(process) for process in run.processes],
        "runs": [_recorded(recorded) for recorded in run.recorded],
        "compile_bill": [_bill_line(line) for line in compile_bill(run)],
        "dynamic_shapes": [_dimension(found) for found in analysis.dynamic_dimensions],
        "limits": [_limit(found) for found in analysis.limits],
        "ranks": None if analysis.ranks is None else rank_lines.as_json(analysis, analysis.ranks),
    }


def summary_document(summary: Summary) -> dict[str, Any]:
    """Return the counts of a run, as under ``summary``."""
    return {
        "backwards": summary.backwards,
        "hits": summary.hits,
        "captures": summary.captures,
        "recaptures": summary.recaptures,
        "dynamo_recompiles": summary.dynamo_recompiles,
        "graph_breaks": summary.graph_breaks,
        "seconds_lost": summary.seconds_lost,
        "seconds_total": summary.seconds_total,
        "gpu_waited": summary.gpu_waited,
        "recompiled_captures": summary.recompiled_captures,
        "forward_recompiles": summary.forward_recompiles,
        "inherent_recompiles": summary.inherent_recompiles,
        "inherent": {
            found.why: {"count": found.count, "seconds": found.seconds}
            for found in summary.inherent
        },
        "least_recompiles": summary.least_recompiles,
        "internal_compiles": summary.internal_compiles,
        "internal_recompiles": summary.internal_recompiles,
        "not_in_log": sorted(summary.missing),
        "graph_breaks_left_out": summary.graph_breaks_left_out,
        "unique_graphs": summary.unique_graphs,
        "crash": None if summary.crash is None else failure_document(summary.crash),
    }


def failure_document(failure: Failure) -> dict[str, Any]:
    """Return an exception out of a compile, as under ``failures``."""
    return {
        "process": failure.process,
        "stage": failure.stage,
        "outcome": failure.outcome,
        "exception": failure.type,
        "message": in_one_line(failure),
        "compile_id": failure.compile_id,
        "capture": None if failure.capture is None else f"!{failure.capture}",
        "function": failure.function,
        "in_backward": failure.in_backward,
        "location": _frame(failure.location),
        "called_from": _frame(failure.called_from),
        "count": failure.count,
    }


def _estimate(found: Estimate | None) -> dict[str, float] | None:
    return None if found is None else asdict(found)


def _bill_line(line: BillLine) -> dict[str, Any]:
    return {
        "process": line.process,
        "function": line.function,
        "location": _frame(line.location),
        "compiles": line.compiles,
        "recompiles": line.recompiles,
        "seconds": line.seconds,
        "phases": dict(line.phases),
        "cache": dict(line.cache),
        "saved": line.saved,
        "could_save": line.could_save,
        "bypasses": dict(line.bypasses),
        "kernel_seconds": line.kernels,
    }


def _dimension(found: DynamicDimension) -> dict[str, Any]:
    return {
        "process": found.process,
        "location": _frame(found.location),
        "argument": readable(found.called(found.source)),
        "dimension": found.index,
        "sizes": list(found.sizes),
        "became_dynamic": None if found.became is None else found.became.compile_id,
        "together_with": [
            {"argument": readable(found.called(source)), "dimension": index}
            for source, index in found.together
        ],
        "respecialised": [
            {
                "compile_id": one.compiled.compile_id,
                "guard": one.guard,
                "location": _frame(one.line),
                "duck_sizing": one.is_duck,
            }
            for one in found.respecialised
        ],
        "dynamic_sources": found.as_sources,
    }


def _limit(found: RecompileLimit) -> dict[str, Any]:
    return {
        "process": found.given_up.process,
        "compile_id": found.given_up.compile_id,
        "location": _frame(found.location),
        "limit": found.name,
        "value": found.value,
        "reason": found.given_up.recompile_reason,
        "step": found.step,
        "seconds_into_run": found.into_run,
        "step_before": found.before,
        "step_after": found.after,
        "per": found.per,
    }


def _capture(capture: Capture) -> dict[str, Any]:
    node = capture.node
    closest = capture.closest_capture
    return {
        "id": capture.label,
        "rank": capture.rank,
        "pid": capture.pid,
        "step": capture.step,
        "kind": capture.kind,
        "reason": capture.reason,
        "node": {"index": node.index, "name": node.name} if node is not None else None,
        "changes": [
            {
                "index": change.index,
                "name": change.name,
                "attribute": change.attribute,
                "before": change.before,
                "after": change.after,
            }
            for change in capture.changes
        ],
        "closest_capture": f"!{closest}" if closest is not None else None,
        "backward_call": _frame(capture.backward_call),
        "nearest_module": capture.nearest_module,
        "seconds": capture.seconds.total,
        "seconds_capture": capture.seconds.capture,
        "seconds_compile": capture.seconds.compile,
        "seconds_snapshot": capture.seconds.snapshot,
        "key_size": capture.key_size,
        "previous_key_sizes": list(capture.previous_key_sizes),
        "sizes_changed": list(capture.sizes_changed),
        "sizes_total": capture.sizes_total,
        "stack": [_frame(frame) for frame in capture.stack],
        "run_count": capture.run_count,
        "error": capture.error,
        "compile_ids": list(capture.compile_ids),
        "forward": _frame(capture.forward),
        "fx_nodes": dict(capture.fx_nodes),
        "autograd_nodes": capture.autograd_nodes,
        "process": capture.process,
        "loop": capture.loop.as_json() if capture.loop is not None else None,
        "lowering": asdict(capture.lowering) if capture.lowering is not None else None,
    }


def _recompile(compiled: Compile) -> dict[str, Any]:
    return {
        "compile_id": compiled.compile_id,
        "capture": f"!{compiled.capture}" if compiled.capture is not None else None,
        "reason": compiled.recompile_reason,
        "seconds": compiled.seconds,
        "location": _frame(compiled.location),
        "rank": compiled.rank,
        "pid": compiled.pid,
        "process": compiled.process,
    }


def _graph_break(found: GraphBreak) -> dict[str, Any]:
    return {
        "compile_id": found.compile_id,
        "reason": found.reason,
        "location": _frame(found.location),
        "count": found.count,
        "explanation": found.explanation,
        "number": found.number,
        "hints": list(found.hints),
        "whole_function": found.given_up,
        "in_loop": found.in_loop,
        "in_step": found.in_step,
        "is_error": found.is_error,
        "process": found.process,
    }


def finding_document(found: Finding) -> dict[str, Any]:
    """Return one finding, as under ``findings``."""
    return {
        "code": found.code,
        "name": found.name,
        "severity": found.severity,
        "message": found.message,
        "location": _frame(found.location),
        "is_located": found.is_located,
        "known_by": found.known_by,
        "candidates": [_frame(candidate) for candidate in found.candidates],
        "noticed_at": _frame(found.noticed_at),
        "captures": list(found.captures),
        "compile_ids": list(found.compile_ids),
        "count": found.count,
        "seconds": found.seconds,
        "evidence": [
            {"text": seen.text, "file": seen.file, "line": seen.line} for seen in found.evidence
        ],
        "fix": found.fix,
        "is_note": found.is_note,
        "confidence": found.confidence,
        "other_rules": [rule.code for rule in found.other_rules],
        "chain": found.chain,
        "processes": list(found.processes),
        "phases": dict(found.phases),
        "loops": [loop.as_json() for loop in found.loops],
        "saves": found.saves,
        "saves_of": [rule.code for rule in found.saves_of],
        "failure": None if found.failure is None else failure_document(found.failure),
        "remedy": remedy_document(found.remedy),
    }


def remedy_document(remedy: Remedy) -> dict[str, Any]:
    """Return what to do, as a finding has it."""
    edit = remedy.edit
    return {
        "sentence": remedy.sentence,
        "edit": None if isinstance(edit, NoEdits) else edit,
        "reason": edit.reason if isinstance(edit, NoEdits) else None,
        "effects": list(remedy.effects),
        "alternatives": [remedy_document(one) for one in remedy.alternatives],
    }


def _damage(damage: Damage) -> dict[str, Any]:
    return {
        "file": damage.file,
        "line": damage.line,
        "kind": damage.kind,
        "detail": damage.detail,
        "count": damage.count,
    }


def _process(process: Process) -> dict[str, Any]:
    backwards, hits = backwards_of(process)
    end = process.end
    return {
        "index": process.index,
        "file": process.file,
        "rank": process.rank,
        "pid": process.pid,
        "records": process.records,
        "recorded": process.recorded,
        "engine": process.engine,
        "enabled": process.enabled,
        "backend": process.backend,
        "dynamic": process.dynamic,
        "devices": list(process.devices),
        "background": [asdict(each) for each in process.background],
        "backwards": backwards,
        "hits": hits,
        "captures": len(process.captures),
        "unique_graphs": end.unique_graphs if end is not None else None,
        "failed_captures": end.failed_captures if end is not None else None,
        "ended": end is not None,
        "running": process.is_running,
        "error": end.error if end is not None else None,
        "versions": dict(process.versions),
    }


def _recorded(recorded: Recorded) -> dict[str, Any]:
    return {
        "folder": recorded.folder,
        "command": list(recorded.command),
        "cwd": recorded.cwd,
        "host": recorded.host,
        "engine": recorded.engine,
        "start": recorded.start,
        "end": recorded.end,
        "exit_code": recorded.exit_code,
        "versions": dict(recorded.versions),
    }


def _frame(frame: Frame | None) -> dict[str, Any] | None:
    if frame is None:
        return None
    return {
        "file": frame.file,
        "line": frame.line,
        "function": frame.function,
        "code": frame.code,
    }
