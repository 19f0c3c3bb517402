"""A run as pandas DataFrames, for notebooks and ``ca export``. The only file that imports pandas.

``tables(run)`` gives all of them; each function below documents its columns. Times are UTC
(``datetime64[ns, UTC]``), all durations are seconds (float), counts are nullable integers
(``Int64``): ``<NA>`` means that this log cannot tell, never zero. Every table has ``process``
(the number in ``Run.processes``), ``rank`` and ``pid``, so that any two can be joined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import orjson
import pandas as pd

from ca_reports.diagnosis.analysis import analyze
from ca_reports.sentences.captures import what_changed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ca_reports.causes.findings import Diagnosis
    from ca_reports.run.model import Frame, Process, Run

_INTEGER = "Int64"
_FLOAT = "float64"
_TEXT = "string"
_BOOL = "boolean"
_TIME = "time"

_OWNER = {"process": _INTEGER, "rank": _INTEGER, "pid": _INTEGER}
_PLACE = {"file": _TEXT, "line": _INTEGER, "function": _TEXT, "code": _TEXT}


def tables(run: Run, diagnosis: Diagnosis | None = None) -> dict[str, pd.DataFrame]:
    """Return all tables by name: captures, misses, backwards, compiles, graph_breaks, findings."""
    return {
        "captures": captures(run),
        "misses": misses(run),
        "backwards": backwards(run),
        "compiles": compiles(run),
        "graph_breaks": graph_breaks(run),
        "findings": findings(run, diagnosis),
    }


def captures(run: Run) -> pd.DataFrame:
    """Return one row per capture.

    ``capture`` (torch's number), ``step`` (the backward, from 0), ``loop_step``,
    ``loop_epoch`` and ``loop_phase`` (what the user's loop called it), ``time`` (when it began),
    ``kind`` (first, new_autograd_node, changed_shapes, unknown), ``reason`` (torch's text),
    ``what`` (the same in plain words), ``node_index`` and ``node_name`` (where the graphs
    part), ``key_size``, ``closest_capture``, ``file``/``line``/``function``/``code`` (the
    backward call), ``near`` (parameter or module), ``seconds`` = ``seconds_capture`` +
    ``seconds_compile``, ``autograd_nodes``, ``fx_nodes`` (of the captured graph), ``ran``
    (backwards that ran its graph), ``error``.
    """
    columns = {
        **_OWNER, "capture": _INTEGER, "step": _INTEGER, "loop_step": _INTEGER,
        "loop_epoch": _INTEGER, "loop_phase": _TEXT, "time": _TIME, "kind": _TEXT,
        "reason": _TEXT, "what": _TEXT, "node_index": _INTEGER, "node_name": _TEXT,
        "key_size": _INTEGER, "closest_capture": _INTEGER, **_PLACE, "nearest_module": _TEXT,
        "seconds": _FLOAT, "seconds_capture": _FLOAT, "seconds_compile": _FLOAT,
        "autograd_nodes": _INTEGER, "fx_nodes": _INTEGER, "run_count": _INTEGER, "error": _TEXT,
    }  # fmt: skip
    rows = [
        {
            **_owner(found.process, found.rank, found.pid),
            "capture": found.id,
            "step": found.step,
            "loop_step": None if found.loop is None else found.loop.step,
            "loop_epoch": None if found.loop is None else found.loop.epoch,
            "loop_phase": None if found.loop is None else found.loop.phase,
            "time": found.time,
            "kind": found.kind,
            "reason": found.reason,
            "what": what_changed(found),
            "node_index": None if found.node is None else found.node.index,
            "node_name": None if found.node is None else found.node.name,
            "key_size": found.key_size,
            "closest_capture": found.closest_capture,
            **_place(found.backward_call),
            "nearest_module": found.nearest_module,
            "seconds": found.seconds.total,
            "seconds_capture": found.seconds.capture,
            "seconds_compile": found.seconds.compile,
            "autograd_nodes": found.autograd_nodes,
            "fx_nodes": found.fx_nodes.get("total"),
            "run_count": found.run_count,
            "error": found.error,
        }
        for found in run.captures
    ]
    return _frame(columns, rows)


def misses(run: Run) -> pd.DataFrame:
    """Return one row a difference between a recapture and the closest earlier capture.

    ``capture``, ``step``, ``closest_capture``; ``node_index``, ``node_name`` and
    ``attribute`` say what differs, ``before`` and ``after`` its values as JSON text. A
    recapture of which no difference is known has one row without them.
    """
    columns = {
        **_OWNER, "capture": _INTEGER, "step": _INTEGER, "closest_capture": _INTEGER,
        "node_index": _INTEGER, "node_name": _TEXT, "attribute": _TEXT,
        "before": _TEXT, "after": _TEXT,
    }  # fmt: skip
    rows: list[dict[str, Any]] = []
    for found in run.captures:
        if not found.is_recapture:
            continue
        base = {
            **_owner(found.process, found.rank, found.pid),
            "capture": found.id,
            "step": found.step,
            "closest_capture": found.closest_capture,
        }
        rows.extend(
            {
                **base,
                "node_index": change.index,
                "node_name": change.name,
                "attribute": change.attribute,
                "before": _json(change.before),
                "after": _json(change.after),
            }
            for change in found.changes
        )
        if not found.changes:
            rows.append(base)
    return _frame(columns, rows)


def backwards(run: Run) -> pd.DataFrame:
    """Return one row a backward that reached compiled autograd, in the order in which they ran.

    ``step`` (from 0), ``capture`` (whose graph ran), ``start``, ``seconds`` (compiling
    included where it was needed), ``miss`` (it was captured), ``failed`` (it raised).
    """
    parts = [_backwards_of(process) for process in run.processes if process.backwards is not None]
    columns = {
        **_OWNER, "step": _INTEGER, "capture": _INTEGER, "start": _TIME, "seconds": _FLOAT,
        "miss": _BOOL, "failed": _BOOL,
    }  # fmt: skip
    empty = _frame(columns, [])
    return pd.concat(parts, ignore_index=True) if parts else empty


def compiles(run: Run) -> pd.DataFrame:
    """Return one row per compile by Dynamo.

    ``compile_id`` (3/0, or !5/7/1 for the graph of a capture), ``capture``, ``time``,
    ``seconds``, ``recompile`` (guards of an earlier one failed), ``reason`` (which guards),
    ``attempts``, ``graphs`` (FX graphs that came out), ``file``/``line``/``function``/
    ``code``, ``fail_type``, ``fail_reason``.
    """
    columns = {
        **_OWNER, "compile_id": _TEXT, "capture": _INTEGER, "time": _TIME, "seconds": _FLOAT,
        "recompile": _BOOL, "reason": _TEXT, "attempts": _INTEGER, "graphs": _INTEGER, **_PLACE,
        "fail_type": _TEXT, "fail_reason": _TEXT,
    }  # fmt: skip
    rows = [
        {
            **_owner(found.process, found.rank, found.pid),
            "compile_id": found.compile_id,
            "capture": found.capture,
            "time": found.time,
            "seconds": found.seconds,
            "recompile": found.is_recompile,
            "reason": found.recompile_reason,
            "attempts": found.attempts,
            "graphs": found.graphs,
            **_place(found.location),
            "fail_type": found.fail_type,
            "fail_reason": found.fail_reason,
        }
        for found in run.compiles
    ]
    return _frame(columns, rows)


def graph_breaks(run: Run) -> pd.DataFrame:
    """Return one row a place and reason; ``count`` says how often, ``compile_id`` where first."""
    columns = {
        **_OWNER, "compile_id": _TEXT, "reason": _TEXT, "explanation": _TEXT, **_PLACE,
        "count": _INTEGER,
    }  # fmt: skip
    rows = [
        {
            **_owner(process.index, process.rank, process.pid),
            "compile_id": found.compile_id,
            "reason": found.reason,
            "explanation": found.explanation,
            **_place(found.location),
            "count": found.count,
        }
        for process in run.processes
        for found in process.graph_breaks
    ]
    return _frame(columns, rows)


def findings(run: Run, diagnosis: Diagnosis | None = None) -> pd.DataFrame:
    """Return one row per cause, ranked by the seconds that a fix saves.

    ``code`` (CA206), ``name``, ``severity``, ``confidence``, ``message``, ``fix``,
    ``file``/``line``/``function``/``code_line`` (where to look), ``count``, ``seconds``
    (lost), ``captures`` and ``compile_ids`` (separated by spaces), ``chain``. A finding may
    be of several processes: ``processes`` lists their numbers.
    """
    columns = {
        "code": _TEXT, "name": _TEXT, "severity": _TEXT, "confidence": _TEXT, "message": _TEXT,
        "fix": _TEXT, "file": _TEXT, "line": _INTEGER, "function": _TEXT, "code_line": _TEXT,
        "count": _INTEGER, "seconds": _FLOAT, "captures": _TEXT, "compile_ids": _TEXT,
        "processes": _TEXT, "chain": _TEXT,
    }  # fmt: skip
    rows = []
    for found in (diagnosis or analyze(run).diagnosis).findings:
        place = _place(found.location)
        place["code_line"] = place.pop("code")
        rows.append(
            {
                "code": found.code,
                "name": found.name,
                "severity": found.severity,
                "confidence": found.confidence,
                "message": found.message,
                "fix": found.fix,
                **place,
                "count": found.count,
                "seconds": found.seconds,
                "captures": " ".join(found.captures),
                "compile_ids": " ".join(found.compile_ids),
                "processes": " ".join(map(str, found.processes)),
                "chain": found.chain,
            }
        )
    return _frame(columns, rows)


def _backwards_of(process: Process) -> pd.DataFrame:
    """From the columns at once: a run may have millions of rows."""
    rows = process.backwards
    assert rows is not None
    frame = pd.DataFrame(
        {
            "step": np.asarray(rows.steps),
            "capture": np.asarray(rows.capture),
            "start": _times(rows.start),
            "seconds": np.asarray(rows.seconds),
            "miss": np.asarray(rows.miss),
            "failed": np.asarray(rows.failed),
        }
    ).astype({"step": _INTEGER, "capture": _INTEGER, "miss": _BOOL, "failed": _BOOL})
    owner = _owner(process.index, process.rank, process.pid)
    for position, (name, value) in enumerate(owner.items()):
        frame.insert(position, name, pd.Series([value] * len(frame), dtype="Int64"))
    return frame


def _frame(columns: Mapping[str, str], rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    data = list(rows)
    return pd.DataFrame(
        {name: _series([row.get(name) for row in data], kind) for name, kind in columns.items()}
    )


def _series(values: list[Any], kind: str) -> pd.Series[Any]:
    if kind == _TIME:
        return _times(values)
    return pd.Series(values, dtype=kind)


def _times(values: Iterable[Any]) -> pd.Series[Any]:
    seconds = pd.Series(list(values), dtype=_FLOAT)
    # A time that a damaged log made up must not end the export.
    return pd.to_datetime(seconds, unit="s", utc=True, errors="coerce").astype(
        "datetime64[ns, UTC]"
    )


def _owner(process: int, rank: int | None, pid: int | None) -> dict[str, Any]:
    return {"process": process, "rank": rank, "pid": pid}


def _place(frame: Frame | None) -> dict[str, Any]:
    if frame is None:
        return dict.fromkeys(_PLACE)
    return {
        "file": frame.file,
        "line": frame.line,
        "function": frame.function,
        "code": frame.code,
    }


def _json(value: object) -> str | None:
    return None if value is None else orjson.dumps(value).decode()
