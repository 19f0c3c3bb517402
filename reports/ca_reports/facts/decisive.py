"""Finds the decisive one of the guards that failed at a recompile.

Torch names one guard of each earlier compile, the first that it met, and puts the newest compile
first. Where two things change, that is one by chance: a list that grows at every epoch stands
behind the example of another rank that was the last call. Decisive is the guard of the closest
compile: of which the fewest things, by what they held then and hold now, differ. Of equally close
ones it is that of a thing with more values over the whole run than it was decisive for, as by
itself it costs one compile for each; then of one that was never decisive, then of the one with the
most values.

Modules of one class share code. What made a module's own earlier compile fail is decisive before
what differs from another module's.

A size or a stride of which the newest compile takes any is not decisive: it is dynamic since.

Torch's global state is looked at before anything else. Where a guard of an earlier compile failed
for another reason, the state was that compile's: it is not what made this one necessary. Unless an
earlier compile was made for that reason: it would have served, but for the state.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.facts.guarded_things import expected, expected_length, held, named
from ca_reports.facts.mode_changes import is_mode
from ca_reports.facts.shapes import guarded_shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ca_engine.guards import Guard
    from ca_reports.facts.events import RecompileFacts
    from ca_reports.facts.guard_trees import GuardTrees
    from ca_reports.run.model import Compile

_Thing = tuple[str, str]
# Kinds whose guards tell what they expected, in words that what came can be compared with.
_VALUED = (
    "value", "length", "rank", "dtype", "device", "requires_grad", "type", "size", "stride",
    "membership", "attribute", "dispatch_keys",
)  # fmt: skip
_OF_DIMENSIONS = ("size", "stride")
# Guards of a compile for any size: what it still needs to hold of it.
_OF_DYNAMIC = ("size_relation", "duck_size", "stride_relation")
_EARLIER = 64
_AUTOCAST = "autocast"  # in the names of its settings
_WITHOUT = "no "  # what a guard says of a key that a dictionary has not


def with_decisive_first(
    recompiles: Sequence[RecompileFacts], compiles: Iterable[Compile], trees: GuardTrees
) -> tuple[RecompileFacts, ...]:
    """Return ``recompiles`` with the decisive guard before the others, where it can be told.

    ``compiles`` are all of the process: of the first of a code no guard may tell its sizes.
    """
    recompiles = tuple(_state_last(recompile) for recompile in recompiles)
    by_code: dict[str, list[RecompileFacts]] = defaultdict(list)
    for recompile in recompiles:
        if recompile.capture is None:
            by_code[recompile.compiled.code_number].append(recompile)
    mixed = {
        code
        for code, group in by_code.items()
        if any(len({_thing(guard) for guard in found.guards[:_EARLIER]}) > 1 for found in group)
    }
    if not mixed:
        return recompiles
    by_id = {found.compiled.compile_id: found for found in recompiles if found.capture is None}
    of_code: dict[str, list[Compile]] = defaultdict(list)
    for compiled in compiles if mixed else ():
        of_code[compiled.code_number].append(compiled)
    compared = {code: _Code(by_code[code], of_code[code], trees) for code in mixed}
    ordered = (
        compared[code].ordered(found)
        if found.capture is None and (code := found.compiled.code_number) in compared
        else found
        for found in recompiles
    )
    return tuple(_state_first(found, by_id) for found in ordered)


def _state_last(recompile: RecompileFacts) -> RecompileFacts:
    """Put torch's global state behind all else that failed, and of it what differs least first."""
    guards = recompile.guards
    if recompile.capture is not None or guards[0].kind != "global_state":
        return recompile
    # The compile that differs in the fewest settings is the one that this one was meant to be.
    by_state = sorted(
        (guard for guard in guards if guard.kind == "global_state"),
        key=lambda guard: len(guard.source.split()),
    )
    others = [guard for guard in guards if guard.kind != "global_state"]
    return replace(recompile, guards=(*others, *by_state))


def _state_first(recompile: RecompileFacts, by_id: Mapping[str, RecompileFacts]) -> RecompileFacts:
    """Put a setting first, where a compile before it changed was also made for what fails now.

    Gradients and autocast are left: a mode comes back, and what fails in each is its own.
    """
    decisive = recompile.guard
    if recompile.capture is not None or decisive.kind == "global_state":
        return recompile
    for guard in recompile.guards:
        earlier = by_id.get(guard.failed or "") if guard.kind == "global_state" else None
        if earlier is None or is_mode(guard) or _AUTOCAST in guard.source:
            continue
        if any(one.text == decisive.text for one in earlier.guards):
            others = (one for one in recompile.guards if one is not guard)
            return replace(recompile, guards=(guard, *others))
    return recompile


class _Code:
    """Values that one code was compiled for, by guarded thing."""

    def __init__(
        self,
        recompiles: Sequence[RecompileFacts],
        compiles: Sequence[Compile],
        trees: GuardTrees,
    ) -> None:
        self._trees = trees
        self._expected: dict[str, dict[_Thing, str]] = defaultdict(dict)
        self._values: dict[_Thing, set[str]] = defaultdict(set)
        # How many recompiles each thing was decisive for.
        self._spent: Counter[_Thing] = Counter()
        self._modules = {compiled.compile_id: compiled.own_object for compiled in compiles}
        for recompile in recompiles:
            for guard in recompile.guards[:_EARLIER]:
                told = _expected(guard)
                if told is not None:
                    self._expected[guard.failed or ""][_thing(guard)] = told
                came = _came(recompile, guard)
                self._values[_thing(guard)].update(filter(None, (told, came)))
        sizes = [thing for thing in self._values if _is_size(thing)]
        for compiled in compiles[: _EARLIER if sizes else 0]:
            for thing in sizes:
                told = _at(guarded_shape(compiled, thing[0]), thing)
                if told is not None:
                    self._expected[compiled.compile_id].setdefault(thing, told)

    def ordered(self, recompile: RecompileFacts) -> RecompileFacts:
        guards = recompile.guards[:_EARLIER]
        # The state comes last, where anything else failed: it is never decisive then.
        own = [guard for guard in guards if guard.kind != "global_state"] or guards
        own = self._of_its_module(recompile, own) or own
        best = self._decisive(recompile, own)
        self._spent[_thing(best)] += 1
        if best is guards[0]:
            return recompile
        return replace(
            recompile, guards=(best, *(guard for guard in recompile.guards if guard is not best))
        )

    def _of_its_module(self, recompile: RecompileFacts, guards: Sequence[Guard]) -> list[Guard]:
        """Return guards of compiles for the same module; empty where its identity is unknown."""
        module = recompile.compiled.own_object
        if module is None:
            return []
        return [guard for guard in guards if self._modules.get(guard.failed or "") == module]

    def _decisive(self, recompile: RecompileFacts, guards: Sequence[Guard]) -> Guard:
        if is_mode(guards[0]):
            return guards[0]
        conditions = [guard for guard in guards if guard.kind in _OF_DYNAMIC]
        if conditions and all(
            guard.kind == "size" or guard.kind in _OF_DYNAMIC for guard in guards
        ):
            # A size that any compile may have: the one for a single size is an older one.
            return conditions[0]
        newest = guards[0].failed
        guards = [
            guard
            for guard in guards
            if guard.kind not in _OF_DIMENSIONS or not self._trees.is_dynamic(newest, guard)
        ] or guards
        if any(guard.kind not in _VALUED for guard in guards):
            return self._closest(recompile, guards)
        if all(guard.kind in _OF_DIMENSIONS for guard in guards):
            return guards[0]  # `input_sizes` compares whole shapes
        now = {
            thing: size
            for thing in self._values
            if _is_size(thing) and (size := _size(recompile, thing)) is not None
        }
        for guard in guards:
            came = _came(recompile, guard)
            if came is not None:
                now[_thing(guard)] = came
        return min(guards, key=lambda guard: self._distance(guard, now))

    def _closest(self, recompile: RecompileFacts, guards: Sequence[Guard]) -> Guard:
        """Return the guard of the compile that differs least from this one, by the trees of both.

        Of an object no value tells whether it is the one of an earlier compile.
        """
        own = self._trees.of(recompile.compiled.compile_id)
        earlier = [self._trees.of(guard.failed) for guard in guards]
        if own is None or None in earlier:
            return guards[0]
        far = [tree.distance(own) for tree in earlier if tree is not None]
        return guards[far.index(min(far))]

    def _distance(self, guard: Guard, now: dict[_Thing, str]) -> tuple[int, bool, bool, int]:
        known, own = self._expected[guard.failed or ""], _thing(guard)
        differing = {thing for thing, came in now.items() if known.get(thing, came) != came}
        values = len(self._values[own])
        spent = self._spent[own]
        return len(differing | {own}), spent >= values - 1, spent > 0, -values


def _thing(guard: Guard) -> _Thing:
    if guard.kind in _OF_DIMENSIONS:
        return guard.source, f"{guard.kind} {guard.index}"
    if guard.kind == "membership":
        return guard.source, f"key {(guard.expected or '').removeprefix(_WITHOUT)}"
    return named(guard) or guard.text, guard.kind


def _is_size(thing: _Thing) -> bool:
    return thing[1].startswith("size ")


def _size(recompile: RecompileFacts, thing: _Thing) -> str | None:
    """Return the size of one dimension of an argument, whether or not a guard on it failed."""
    found = recompile.compiled.argument(thing[0])
    return _at(None if found is None else found.shape, thing)


def _at(shape: tuple[int | None, ...] | None, thing: _Thing) -> str | None:
    index = thing[1].removeprefix("size ")
    if shape is None or not index.isdecimal() or int(index) >= len(shape):
        return None
    size = shape[int(index)]
    return None if size is None else str(size)


def _expected(guard: Guard) -> str | None:
    if guard.kind in _OF_DIMENSIONS:
        return guard.expected
    if guard.kind == "membership":
        return str(not (guard.expected or "").startswith(_WITHOUT))
    return expected_length(guard) if guard.kind == "length" else expected(guard)


def _came(recompile: RecompileFacts, guard: Guard) -> str | None:
    """Return what the guarded thing held when the guard failed; None if nobody looked."""
    if guard.kind in _OF_DIMENSIONS:
        return guard.actual
    if guard.kind == "membership":
        return str((guard.expected or "").startswith(_WITHOUT))
    one = replace(recompile, guards=(guard,))
    if guard.kind == "length":
        length = None if one.held is None else one.held.length
        return None if length is None else str(length)
    return held(one)
