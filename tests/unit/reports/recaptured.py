"""A run with a capture that was made again."""

from __future__ import annotations

from tests.unit.logwriter import START, LogWriter


def recapturing(began: float = START) -> LogWriter:
    """A process that lives: a recapture whose graph took 800 s to compile, and no end."""
    log = LogWriter()
    log.ca_run(time=began)
    log.ca_capture(0, time=began + 1)
    log.ca_capture(1, "changed_shapes", time=began + 2, seconds={"capture": 65.0})
    log.compiled("!1/0/0", 800.0, start_time=began + 70)
    return log
