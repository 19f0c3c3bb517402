"""Finds the decisive one of the guards that failed at a recompile.

Torch names one guard of each earlier compile, the first that it met, and puts the newest compile
first. Where two things change, that is one by chance: a list that grows at every epoch stands
behind the example of another rank that was the last call. Decisive is the guard of the closest
compile: of which the fewest things, by what they held then and hold now, differ. Of equally close
ones it is that of the thing with the most values over the whole run, as one that comes back to what
it was costs no compile by itself.

Torch's global state is looked at before anything else. Where a guard of an earlier compile failed
for another reason, the state was that compile's: it is not what made this one necessary.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.facts.guarded import code_of, expected, expected_length, held, named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_engine.guards import Guard
    from ca_reports.facts.events import RecompileFacts

_Thing = tuple[str, str]
# Kinds whose guards tell what they expected, in words that what came can be compared with.
_VALUED = ("value", "length", "rank", "dtype", "device", "requires_grad", "type")
_EARLIER = 64


def with_decisive_first(recompiles: Sequence[RecompileFacts]) -> tuple[RecompileFacts, ...]:
    """``recompiles`` with the decisive guard before the others, where it can be told."""
    recompiles = tuple(_state_last(recompile) for recompile in recompiles)
    by_code: dict[str, list[RecompileFacts]] = defaultdict(list)
    for recompile in recompiles:
        if recompile.capture is None:
            by_code[code_of(recompile.compiled)].append(recompile)
    mixed = {
        code
        for code, group in by_code.items()
        if any(len({_thing(guard) for guard in found.guards[:_EARLIER]}) > 1 for found in group)
    }
    if not mixed:
        return recompiles
    compared = {code: _Code(by_code[code]) for code in mixed}
    return tuple(
        compared[code].ordered(found)
        if found.capture is None and (code := code_of(found.compiled)) in compared
        else found
        for found in recompiles
    )


def _state_last(recompile: RecompileFacts) -> RecompileFacts:
    guards = recompile.guards
    if recompile.capture is not None or guards[0].kind != "global_state":
        return recompile
    by_state = [guard for guard in guards if guard.kind == "global_state"]
    others = [guard for guard in guards if guard.kind != "global_state"]
    return replace(recompile, guards=(*others, *by_state)) if others else recompile


class _Code:
    """Values that one code was compiled for, by guarded thing."""

    def __init__(self, recompiles: Sequence[RecompileFacts]) -> None:
        self._expected: dict[str, dict[_Thing, str]] = defaultdict(dict)
        self._values: dict[_Thing, set[str]] = defaultdict(set)
        for recompile in recompiles:
            for guard in recompile.guards[:_EARLIER]:
                told = _expected(guard)
                if told is not None:
                    self._expected[guard.failed or ""][_thing(guard)] = told
                came = _came(recompile, guard)
                self._values[_thing(guard)].update(filter(None, (told, came)))

    def ordered(self, recompile: RecompileFacts) -> RecompileFacts:
        guards = recompile.guards[:_EARLIER]
        if any(guard.kind not in _VALUED for guard in guards):
            return recompile
        now: dict[_Thing, str] = {}
        for guard in guards:
            came = _came(recompile, guard)
            if came is not None:
                now[_thing(guard)] = came
        best = min(guards, key=lambda guard: self._distance(guard, now))
        if best is guards[0]:
            return recompile
        return replace(
            recompile, guards=(best, *(guard for guard in recompile.guards if guard is not best))
        )

    def _distance(self, guard: Guard, now: dict[_Thing, str]) -> tuple[int, int]:
        known = self._expected[guard.failed or ""]
        differing = {thing for thing, came in now.items() if known.get(thing, came) != came}
        return len(differing | {_thing(guard)}), -len(self._values[_thing(guard)])


def _thing(guard: Guard) -> _Thing:
    return named(guard) or guard.text, guard.kind


def _expected(guard: Guard) -> str | None:
    return expected_length(guard) if guard.kind == "length" else expected(guard)


def _came(recompile: RecompileFacts, guard: Guard) -> str | None:
    """Return what the guarded thing held when the guard failed; None if nobody looked."""
    one = replace(recompile, guards=(guard,))
    if guard.kind == "length":
        length = None if one.held is None else one.held.length
        return None if length is None else str(length)
    return held(one)
