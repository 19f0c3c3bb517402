"""Words for functions that hit a recompile limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.sentences.places import thread_named
from ca_reports.words.numbers import duration

if TYPE_CHECKING:
    from ca_reports.facts.recompile_limits import RecompileLimit

# Faster or slower than this is no difference that anybody should look into.
_NOTEWORTHY = 1.1
# Of a number of versions that does not grow: classes, shapes of parameters, places, modules.
RAISE_LIMIT = (
    "raise the limit (`torch._dynamo.config.recompile_limit = 64`), so that each is compiled once"
)


def words_of(limit: RecompileLimit) -> str:
    """Return ``hit recompile_limit 3.1 s into the run and has run uncompiled since: a step …``."""
    at = "" if limit.into_run is None else f" {duration(limit.into_run)} into the run"
    if limit.step:
        at += f" (step {limit.step:,})"
    return f"hit {limit.name}{in_force(limit)}{at} and has run uncompiled since{pace(limit)}"


def in_force(limit: RecompileLimit) -> str:
    """Return `` (8 in the thread `runner_0`, 32 in the main one)``, where both are known."""
    if limit.set_elsewhere is None:
        return ""
    thread = thread_named(limit.thread)
    return f" ({limit.value} in {thread}, {limit.set_elsewhere} in the main one)"


def in_its_thread(limit: RecompileLimit) -> str:
    """Say how the limit that was set comes to hold in the thread that compiles; empty if it does.

    Measured on torch 2.13.0: 12 values and a limit of 32 in the main thread came to 7 recompiles
    and the limit in a worker, and to 11 recompiles and no limit with either.
    """
    if limit.set_elsewhere is None:
        return ""
    return (
        f"pass `recompile_limit={limit.set_elsewhere}` to `torch.compile` (torch 2.13), or set it "
        "where the thread begins (its initializer): since torch 2.12 what the main thread sets "
        "holds in no other"
    )


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
