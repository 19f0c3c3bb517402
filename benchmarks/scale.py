"""What the longest jobs cost: a million backwards, 20,000 captures, 100,000 recompiles, 2 GB."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks import logs, reading
from benchmarks.commands import CA
from tests.unit.logwriter import GRAPH_CODE, START, LogWriter

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from benchmarks.reading import Measured

MOST_PAGE = 5_000_000  # bytes
MOST_MEMORY = 300 << 20
BACKWARDS, CAPTURES, RECOMPILES, MEGABYTES = 1_000_000, 20_000, 100_000, 2_000
_AT_ONCE = 1_000
_NODES = 12


@dataclass(frozen=True)
class Scale:
    """What a log of ``size`` bytes takes in the terminal and as a page of ``page`` bytes."""

    size: int
    terminal: Measured
    report: Measured
    page: int


def measure(case: str, folder: Path) -> Scale:
    """Write the log of ``case``, one of `CASES`, into ``folder``, explain it and report it."""
    log = CASES[case](folder)
    page = folder / "report.html"
    terminal = reading.explain(log)
    report = reading.measure([CA, "report", log, "-o", page, "--force"])
    return Scale(log.stat().st_size, terminal, report, page.stat().st_size)


def _backwards(folder: Path) -> Path:
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0)
    for first in range(0, BACKWARDS, _AT_ONCE):
        log.ca_backwards([(0, int(not step)) for step in range(first, first + _AT_ONCE)], first)
    log.ca_end(START + BACKWARDS, BACKWARDS, BACKWARDS - 1)
    return log.write(folder / "backwards.log")


def _captures(folder: Path) -> Path:
    """Each backward has an exponent of its own, and is captured and compiled anew."""
    log = LogWriter()
    log.ca_run()
    nodes = [
        {"index": index, "name": "MulBackward0", "parameter": f"body.{index}.weight"}
        for index in range(_NODES)
    ]
    for id in range(CAPTURES):
        nodes[3] = {"index": 3, "name": "PowBackward0", "attributes": {"exponent": id}}
        change = {"index": 3, "name": "PowBackward0", "attribute": "exponent"}
        log.ca_capture(
            id,
            "new_autograd_node" if id else "first",
            node={"index": 3, "name": "PowBackward0"},
            reason="Cache miss due to new autograd node: PowBackward0 (NodeCall 3)",
            autograd_graph=nodes,
            closest_capture=id - 1 if id else None,
            changes=[{**change, "before": id - 1, "after": id}] if id else [],
        )
        log.torch_capture(id, code=GRAPH_CODE)
        log.compiled(f"!{id}/{id}/0", 0.5)
        log.ca_backwards([(id, 1)], id)
    log.ca_end(START + 2 * CAPTURES, CAPTURES, 0)
    return log.write(folder / "captures.log")


def _recompiles(folder: Path) -> Path:
    log = LogWriter()
    log.ca_run()
    for id in range(RECOMPILES):
        reason = f"4/{id - 1}: self.temperature == {id - 1}" if id else None
        log.compiled(f"4/{id}", 1.0, recompile_reason=reason)
    log.ca_end(START + RECOMPILES, 0, 0)
    return log.write(folder / "recompiles.log")


def _large(folder: Path) -> Path:
    return logs.write_log(logs.record_once(folder), folder / "large.log", MEGABYTES)


CASES: dict[str, Callable[[Path], Path]] = {
    f"{BACKWARDS:,} backwards": _backwards,
    f"{CAPTURES:,} captures": _captures,
    f"{RECOMPILES:,} recompiles": _recompiles,
    f"{MEGABYTES:,} MB": _large,
}
