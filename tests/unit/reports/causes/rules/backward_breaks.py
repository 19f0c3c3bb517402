"""Processes made by hand whose backward breaks the graph, meets a hazard or ends with an error."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ca_reports.causes.findings import Finding
from ca_reports.diagnosis.analysis import analyze
from ca_reports.run.model import (
    Capture,
    End,
    Frame,
    GraphBreak,
    Hazard,
    Process,
    Run,
)

TORCH = "/venv/lib/python3.11/site-packages/torch"
CALL = Frame("/home/me/train.py", 30, "main", "loss.backward()")
FIRST = Capture(0, 0, None, 1, "log", 9, kind="first", stack=(CALL,))


def findings(*breaks: GraphBreak, **of_process: Any) -> tuple[Finding, ...]:
    process = Process(0, "log", None, 1, 100, recorded=True, captures=(FIRST,))
    process = replace(process, graph_breaks=breaks, **of_process)
    return analyze(Run(("log",), ("log",), (process,))).diagnosis.findings


def the_one(found: tuple[Finding, ...]) -> Finding:
    (finding,) = found
    return finding


def hazard(kind: str, **fields: Any) -> Hazard:
    return Hazard(0, "log", 50, kind, step=4, stack=(CALL,), count=6, **fields)


def end(text: str, *stack: Frame) -> End:
    return End(1.0, 1, 0, 0, 0, 1, text.partition(":")[0], text, stack)
