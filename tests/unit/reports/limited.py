"""Runs that hit a recompile limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ca_reports
from ca_reports.facts.recompile_limits import RecompileLimit, recompile_limits
from tests.unit.logwriter import START, LogWriter

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.run.model import Run

ACCUMULATED = (
    "Dynamo recompile limit exceeded\n  Explanation: Dynamo attempted to recompile the code object "
    "too many times, exceeding the accumulated_recompile_limit cache size limit (currently set "
    "to 256)."
)


def run_of(
    folder: Path,
    *,
    before: float = 0.02,
    after: float = 0.05,
    reason: str = ACCUMULATED,
    of: str = "backward",
    compile_in_each: bool = False,
) -> Run:
    """Ten steps of ``before`` seconds, the limit in the eleventh, ten of ``after`` seconds.

    With ``compile_in_each`` every step until then also holds a compile of a second.
    """
    log = LogWriter()
    log.ca_run(enabled=False, backend=None)
    log.compiled("0/0", start_time=START)
    time, starts = START + 2.0, []
    for step in range(10):
        starts.append(time)
        if compile_in_each:
            log.compiled(
                f"0/{step + 1}", 1.0, start_time=time + before / 2, recompile_reason="0/0: n == 1"
            )
            time += 1.0
        time += before
    log.compiled(
        "0/11",
        0.001,
        graphs=0,
        co_filename=None,
        start_time=time - before / 2,
        recompile_reason="0/0: n == 1",
        fail_type="Unsupported",
        fail_reason=reason,
    )
    starts += [time + after * step for step in range(11)]
    begins = [round(start - starts[0], 6) for start in starts]
    log.own("ca_steps", time=starts[0], of=of, start=begins)
    log.ca_end(starts[-1], 0, 0)
    return ca_reports.load([str(log.write(folder / "trace.log"))])


def limit_of(run: Run) -> RecompileLimit:
    (found,) = recompile_limits(run.processes[0])
    return found
