"""``ca caches`` on a terminal; tests/unit/cli/snapshots has it word for word."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rich.console import Console

from ca_reports.output import caches_terminal
from tests.unit.reports.costs.caches.made import CacheLog, start_of, started

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.logwriter import LogWriter


def printed(folder: Path, *logs: LogWriter) -> str:
    stream = io.StringIO()
    caches_terminal.render(started(folder, *logs), Console(file=stream, width=80))
    return stream.getvalue()


def test_a_warm_start_has_no_causes(tmp_path: Path) -> None:
    text = printed(tmp_path, start_of(state="hit"), start_of())
    assert text.startswith("Warm: the graph came from the cache, which saved 9.0 s.\n\nCompile")
    assert "Compared" not in text


def test_a_long_list_is_cut(tmp_path: Path) -> None:
    log = CacheLog()
    log.ca_run(enabled=False)
    for number in range(25):
        log.looked_up(f"{number}/0", state="hit", time_saved_ns=10**9)
        log.compiled(f"{number}/0", 1.0)
    text = printed(tmp_path, log)
    assert "19/0" in text
    assert "20/0" not in text
    assert "and 5 more graphs: see --format json" in text
