"""Logs of lowered graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ca_reports
from ca_engine import schema
from tests.unit.logwriter import LogWriter

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.run.model import Run

LOWERED = {"way": "l2", "backend": "inductor", "seconds": 0.25, "cache": "hit", "reason": None}
SIZED = {"way": "l2", "backend": "aot_eager", "seconds": 0.25, "reason": None}
REFUSED = {
    "way": "no",
    "backend": "aot_eager",
    "seconds": 0.01,
    "reason": "python_hook",
    "detail": "double",
    "file": "/home/user/train.py",
    "line": 40,
}


def run_of(folder: Path, *records: dict[str, Any]) -> Run:
    log = LogWriter()
    log.ca_run()
    for capture, record in enumerate(records):
        log.ca_capture(capture)
        log.own(schema.LOWERING_RECORD, **{"capture": capture, **record})
    return ca_reports.load([log.write(folder / "trace.log")])


# Compiled in the background

WAITING = {
    "state": "compiling",
    "backwards": 1,
    "waited": 0.02,
    "own_seconds": 0.0,
    "compile_seconds": None,
    "reason": None,
}
READY = {
    **WAITING,
    "state": "ready",
    "backwards": 812,
    "waited": 20.0,
    "own_seconds": 0.5,
    "compile_seconds": 17.0,
}
MISS = {**LOWERED, "way": "direct", "cache": None, "background": WAITING}


def background_run(folder: Path, *later: dict[str, Any]) -> Run:
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0)
    log.own(schema.LOWERING_RECORD, **{"capture": 0, **MISS})
    for record in later:
        log.own(schema.LOWERING_RECORD, **{"capture": 0, **LOWERED, "seconds": 0.0, **record})
    return ca_reports.load([log.write(folder / "trace.log")])
