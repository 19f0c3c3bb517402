"""``ca caches --format json``: keys are stable, new ones may be added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ca_reports.output import json
from ca_reports.sentences import caches as words
from ca_reports.words.clean import json_text

if TYPE_CHECKING:
    from ca_reports.costs.caches.settings import SettingOrigin
    from ca_reports.costs.caches.starts import (
        Cause,
        CompiledCode,
        ExplainedDifference,
        LookupRow,
        Outcome,
        Start,
    )
    from ca_reports.run.cached import TuningState
    from ca_reports.run.model import Frame


def render(start: Start) -> str:
    """Return one JSON object, indented by two, ending in a newline."""
    return json_text(document(start))


def in_short(start: Start) -> dict[str, Any]:
    """Return the numbers and the causes, for `ca diff`."""
    whole = document(start)
    return {name: whole[name] for name in ("headline", "summary", "causes")}


def document(start: Start) -> dict[str, Any]:
    """Return the object itself. Null stands for what the logs do not tell."""
    lookups = start.lookups
    return {
        "schema_version": json.FORMAT_VERSION,
        "generator": "ca",
        "run": list(start.run.paths),
        "earlier": [path for run in start.earlier for path in run.paths],
        "headline": words.headline(start),
        "summary": {
            "compiles": len(start.compiles),
            **{name: start.outcomes.get(name, 0) for name in _OUTCOMES},
            "lookups": {
                cache: {state: lookups.get((cache, state), 0) for state in _STATES}
                for cache in words.CACHES
            },
            "from_file": start.from_file,
            "from_remote": start.from_remote,
            "bundled_kernels": start.bundled,
            "tuned_kernels": {state: len(start.tunings.get(state, ())) for state in _TUNINGS},
            "seconds": start.seconds,
            "saved": start.saved,
            "unexplained": len(start.unexplained),
        },
        "causes": [_cause(cause) for cause in start.causes],
        "graphs": [_graph(found, row) for found in start.compiles for row in found.rows],
        "among_processes": None
        if start.ranks is None
        else {
            "processes": start.ranks.processes,
            "graphs": start.ranks.graphs,
            "seconds": start.ranks.seconds,
            "spared": start.ranks.spared,
            "causes": [_cause(cause) for cause in start.ranks.causes],
        },
        "became_dynamic": [
            {"process": one.process, "compile": one.compile_id, "seconds": one.seconds}
            for one in start.became_dynamic
        ],
        "cache_files": [
            {
                "process": process.index,
                "file": used.file,
                "entries": len(used.keys),
                "load_seconds": used.load_seconds,
                "problem": used.problem,
                "saved_bytes": used.saved_bytes,
                "new": used.new,
                "gone": used.gone,
            }
            for process in start.run.processes
            if (used := process.cache_file) is not None
        ],
        "kernels": [
            {
                "process": process.index,
                "compile": kernel.compile_id,
                "name": kernel.name,
                "tuning": kernel.tuning,
                "configurations": kernel.configurations,
                "seconds": kernel.seconds,
            }
            for process in start.run.processes
            for kernel in process.kernels
        ],
        "profiles": [
            {
                "process": process.index,
                "loaded": profile.loaded,
                "store": profile.store,
                "functions": profile.functions,
                "dynamic_sources": list(profile.dynamic_sources),
            }
            for process in start.run.processes
            for profile in process.profiles
        ],
    }


_OUTCOMES: tuple[Outcome, ...] = ("warm", "traced", "compiled", "bypassed")
_STATES = ("hit", "miss", "bypass")
_TUNINGS: tuple[TuningState, ...] = ("hit", "miss", "single", "off")


def _cause(cause: Cause) -> dict[str, Any]:
    return {
        "title": words.cause_title(cause),
        "same_key": cause.same_key,
        "mode": None
        if cause.mode is None
        else {"before": cause.mode.before, "after": cause.mode.after},
        "differs": [_difference(found, words.fix(cause)) for found in cause.differs],
        "fix": words.fix(cause),
        "seconds": cause.seconds,
        "compiles": [
            {"process": found.process.index, "compile": found.compile_id}
            for found in cause.compiles
        ],
    }


def _graph(found: CompiledCode, row: LookupRow) -> dict[str, Any]:
    lookup, place, partner = row.lookup, found.location, row.partner
    decisive = {id(one) for one in row.causes}
    return {
        "process": found.process.index,
        "rank": found.process.rank,
        "compile": lookup.compile_id,
        "file": None if place is None else place.file,
        "line": None if place is None else place.line,
        "function": None if place is None else place.function,
        "called": None if found.called is None else _line(found.called),
        "outcome": found.outcome,
        "cache": lookup.cache,
        "graph": lookup.graph,
        "state": lookup.state,
        "status": lookup.status,
        "store": found.store(lookup.cache) if lookup.state == "hit" else None,
        "key": lookup.key,
        "seconds": lookup.seconds,
        "saved": lookup.saved,
        "reason": lookup.reason,
        "folder": lookup.folder or None,
        "partner": None
        if partner is None
        else {
            "process": partner.asked.process.index,
            "compile": partner.asked.lookup.compile_id,
            "is_same_function": partner.is_same_function,
        },
        "same_key": row.same_key,
        "differs": [
            _difference(one, words.fix(found.cause_of(row, one)) if id(one) in decisive else None)
            | {"is_cause": id(one) in decisive}
            for one in row.differs
        ],
    }


def _difference(found: ExplainedDifference, fix: str | None) -> dict[str, Any]:
    differing = found.differing
    return {
        "component": differing.name,
        "input": None if differing.source is None else differing.source.name,
        "meaning": differing.about.meaning,
        "before": differing.before,
        "after": differing.after,
        "line": differing.line,
        "from": _origin(found.origin),
        "written": None
        if found.written == (None, None)
        else {
            name: None if place is None else _line(place)
            for name, place in zip(("before", "after"), found.written, strict=True)
        },
        "fix": fix,
    }


def _origin(origin: SettingOrigin) -> dict[str, Any] | None:
    if not origin:
        return None
    return {
        "variables": [
            {"name": one.name, "before": one.before, "after": one.after} for one in origin.variables
        ],
        "lines": [_line(one) for one in origin.lines],
    }


def _line(place: Frame) -> dict[str, Any]:
    return {"file": place.file, "line": place.line, "code": place.code}
