"""Words for functions that hit a recompile limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.text.numbers import duration

if TYPE_CHECKING:
    from ca_reports.recompile_limits import RecompileLimit

# Faster or slower than this is no difference that anybody should look into.
_NOTEWORTHY = 1.1


def words_of(limit: RecompileLimit) -> str:
    """Return ``hit recompile_limit 3.1 s into the run and runs uncompiled since: steps take …``."""
    at = "" if limit.into_run is None else f" {duration(limit.into_run)} into the run"
    if limit.step:
        at += f" (step {limit.step:,})"
    return f"hit {limit.name}{at} and runs uncompiled since{pace(limit)}"


def pace(limit: RecompileLimit) -> str:
    """Return ``: a step takes 30 ms instead of 20 ms (1.5 times as long)``; empty if unknown."""
    if limit.before is None or limit.after is None or limit.slowdown is None:
        return ""
    told = f": a {limit.per} takes {_precise(limit.after)} instead of {_precise(limit.before)}"
    times = limit.slowdown
    is_slower = times >= _NOTEWORTHY
    return f"{told} ({times:.2g} times as long)" if is_slower else told


def when_and_pace(limit: RecompileLimit) -> tuple[str, ...]:
    """Return for a table how long into the run, a step before, and since; a dash if unknown."""
    return (
        duration(limit.into_run),
        *(
            "–" if seconds is None else f"{_precise(seconds)} a {limit.per}"
            for seconds in (limit.before, limit.after)
        ),
    )


def _precise(seconds: float) -> str:
    """Keep three digits: two steps are compared, and fast ones matter."""
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else duration(seconds)
