"""Captures, compiles and runs made by hand."""

from __future__ import annotations

from array import array
from typing import Any

from ca_reports.run.model import (
    Backwards,
    Capture,
    CaptureSeconds,
    Compile,
    Frame,
    Process,
    Run,
)

LINE = Frame("/t/train.py", 7, "main", "loss.backward()")


def captured(id: int, process: int = 0, *, line: Frame = LINE, **more: Any) -> Capture:
    return Capture(
        **{
            "id": id, "process": process, "rank": None, "pid": process, "file": "t.log",
            "kind": "new_autograd_node" if id else "first", "line": id + 1, "step": id,
            "time": 100.0 + id, "stack": (line,), "seconds": CaptureSeconds(1.0, 2.0), **more,
        }
    )  # fmt: skip


def compiled(id: str, reason: str | None = None, **more: Any) -> Compile:
    capture = int(id[1:].split("/")[0]) if id.startswith("!") else None
    return Compile(
        **{
            "compile_id": id, "process": 0, "rank": None, "pid": 0, "capture": capture,
            "recompile_reason": reason, "seconds": 4.0, "location": LINE, **more,
        }
    )  # fmt: skip


def run_of(*captures: Capture, compiles: tuple[Compile, ...] = (), **more: Any) -> Run:
    processes = sorted({capture.process for capture in captures}) or [0]
    return Run(
        ("t.log",),
        ("t.log",),
        tuple(
            Process(
                **{
                    "index": index, "file": "t.log", "rank": None, "pid": index, "records": 1,
                    "recorded": True, "compiles": compiles if not index else (),
                    "captures": tuple(c for c in captures if c.process == index), **more,
                }
            )
            for index in processes
        ),
    )  # fmt: skip


def ran(*captures: int) -> Backwards:
    count = len(captures)
    return Backwards(
        array("q", range(count)), array("q", captures),
        array("d", [100.0 + step for step in range(count)]), array("d", [0.9] * count),
        array("b", [0] * count), array("b", [0] * count), count, count, 0,
    )  # fmt: skip
