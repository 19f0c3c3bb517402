"""Tells recompiles that were made because a function was called for another kind of step.

A training of several tasks selects another head, loss and target in each step. What it was compiled
for then differs in many things at once: other functions are called, other parameters are read, and
the target has another dtype or rank. Of all these guards one is the cause, the one on what selects:
a word, a number or a flag that has one value for each kind of step, else a function or a module
that is given. To put any of the others right would leave the compile.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from ca_engine import guards
from ca_engine.lazy_expressions import expression
from ca_reports.facts.guard_paths import guard_path
from ca_reports.facts.mode_changes import is_mode
from ca_reports.facts.step_kinds import parameters_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ca_engine.guards import Guard
    from ca_reports.facts.events import RecompileFacts
    from ca_reports.facts.guard_trees import GuardTrees
    from ca_reports.facts.step_kinds import Kind
    from ca_reports.run.model import Compile

_WHOLE = expression(r"-?\d{1,20}")
# So many numbers that keep their distance are no chance.
_ENOUGH = 3
# Of one code; Dynamo gives up earlier.
_MAX_VERSIONS = 64
# Guards that are told beside the one on what selects.
_MAX_FOLLOWING = 8


def with_selecting_first(
    recompiles: Sequence[RecompileFacts], compiles: Iterable[Compile], trees: GuardTrees
) -> tuple[RecompileFacts, ...]:
    """Return ``recompiles``, each that is for a kind of step of its own with what selects it first.

    So are those for numbers that go together, such as both ends of a window: each with the guard on
    the same one of them first. ``compiles`` are all of the process.
    """
    versions: dict[str, dict[str, Kind]] = {
        found.compiled.code_number: {} for found in recompiles if _is_asked(found)
    }
    for compiled in compiles if versions else ():
        own = versions.get(compiled.code_number)
        if own is not None and len(own) < _MAX_VERSIONS:
            kind = trees.kind(compiled.compile_id)
            if kind is not None:
                own[compiled.compile_id] = kind
    named = Counter(
        (found.compiled.code_number, source)
        for found in recompiles
        for source in {guard.source for guard in found.guards}
    )
    together = {
        code: _together(tuple(own.values()), {name: -named[code, name] for name in _names(own)})
        for code, own in versions.items()
    }
    found = [
        _selected(
            one, versions[one.compiled.code_number], together[one.compiled.code_number], trees
        )
        if _is_asked(one)
        else one
        for one in recompiles
    ]
    chosen: dict[str, set[str]] = defaultdict(set)
    for one in found:
        if one.follows or one.selects:
            chosen[one.compiled.code_number].add(one.guard.source)
    return tuple(
        _of_refused(one, chosen[one.compiled.code_number]) if one.compiled.is_refused else one
        for one in found
    )


def _of_refused(recompile: RecompileFacts, chosen: set[str]) -> RecompileFacts:
    """Put first what selected in other compiles: one that torch refused has no tree."""
    guard = next((one for one in recompile.guards if one.source in chosen), recompile.guard)
    others = (one for one in recompile.guards if one is not guard)
    return replace(recompile, guards=(guard, *others))


def _is_asked(recompile: RecompileFacts) -> bool:
    """Return whether a guard on a mode, or torch's state, is not cause enough."""
    is_state = recompile.guard.kind == "global_state" or is_mode(recompile.guard)
    return recompile.capture is None and recompile.compiled.is_forward and not is_state


def _selected(
    recompile: RecompileFacts,
    versions: Mapping[str, Kind],
    together: Mapping[str, str],
    trees: GuardTrees,
) -> RecompileFacts:
    """Put the guard on what selects the kind of step first, where ``recompile`` has one."""
    own = recompile.compiled.compile_id
    now = versions.get(own)
    order = list(versions)
    earlier = {} if now is None else {one: versions[one] for one in order[: order.index(own)]}
    if now is None or not earlier or trees.is_of_other_module(recompile):
        return recompile
    failed = recompile.guard.failed
    failed = failed if failed in earlier else order[order.index(own) - 1]
    before = earlier[failed]
    selects = False
    guard = _on_number(recompile.guard, now, before, together)
    if guard is None and all(kind.step != now.step for kind in earlier.values()):
        guard = _on_value(now, before, earlier.values(), versions.values()) or _on_module(
            own, failed, earlier, versions, trees
        )
        selects = guard is not None and all(kind.work != now.work for kind in earlier.values())
    if guard is None:
        return recompile
    # A tree has no stacks; torch's reason of another compile has one for the same thing.
    told = next((one for one in recompile.guards if one.source == guard.source), guard)
    guard = replace(guard, failed=failed, stack=told.stack, place=told.place, hint=told.hint)
    return replace(
        recompile,
        guards=(guard, *(one for one in recompile.guards if one.source != guard.source)),
        selects=selects,
        follows=_following(recompile, guard, trees),
    )


def _names(versions: Mapping[str, Kind]) -> Iterable[str]:
    """Return the names of what the first version may have been selected by."""
    first = next(iter(versions.values()), None)
    return () if first is None else first.selecting


def _together(kinds: Sequence[Kind], order: Mapping[str, int]) -> dict[str, str]:
    """Map each variable whose number differs from another one's by the same in all versions to it.

    The one that comes first in ``order`` stands for all. Two arguments that count by the same are
    one change of the call, as the ends of a window that slides.
    """
    histories: dict[str, tuple[int, ...]] = {}
    for name in order if len(kinds) >= _ENOUGH else ():
        values = [kind.selecting.get(name, ("", ""))[0] for kind in kinds]
        if name.isidentifier() and all(map(_WHOLE.fullmatch, values)):
            histories[name] = tuple(map(int, values))
    same: dict[tuple[int, ...], list[str]] = defaultdict(list)
    for name, numbers in sorted(histories.items(), key=lambda one: (order[one[0]], one[0])):
        if len(set(numbers)) >= _ENOUGH:
            same[tuple(number - numbers[0] for number in numbers)].append(name)
    return {name: names[0] for names in same.values() if len(names) > 1 for name in names}


def _on_number(guard: Guard, now: Kind, before: Kind, together: Mapping[str, str]) -> Guard | None:
    """Return the guard on the number that stands for those that go with the one that failed."""
    name = together.get(guard.source)
    if name is None or name not in now.selecting:
        return None
    return _valued(before.selecting[name][1], now.selecting[name][0])


def _on_value(
    now: Kind, before: Kind, earlier: Iterable[Kind], known: Iterable[Kind]
) -> Guard | None:
    """Return the guard on a value that is another one for each kind of step, else None."""
    earlier, known = tuple(earlier), tuple(known)
    for source, (value, _) in now.selecting.items():
        if source not in before.selecting:
            continue
        others = {kind.selecting[source][0] for kind in earlier if source in kind.selecting}
        values: dict[bytes, set[str]] = defaultdict(set)
        for kind in known:
            if source in kind.selecting:
                values[kind.step].add(kind.selecting[source][0])
        if value not in others and all(len(found) == 1 for found in values.values()):
            return _valued(before.selecting[source][1], value)
    return None


def _valued(text: str, value: str) -> Guard:
    """Return the guard of a tree's ``text``, which failed for ``value``."""
    guard = guards.parse(text)[0]
    return replace(guard, actual=value) if guard.kind == "value" else guard


def _on_module(
    own: str,
    failed: str,
    earlier: Mapping[str, Kind],
    versions: Mapping[str, Kind],
    trees: GuardTrees,
) -> Guard | None:
    """Return the guard on a parameter of a module that is given, of other sizes than all before."""
    now, before = versions[own].given, versions[failed].given
    for name, sizes in now.items():
        if name not in before or any(kind.given.get(name) == sizes for kind in earlier.values()):
            continue
        expected = dict(parameters_of(trees.text(failed)))
        for source, size in sorted(parameters_of(trees.text(own))):
            if not guard_path(name).leads_to(guard_path(source)):
                continue
            pairs = list(
                zip(expected.get(source, size).split(", "), size.split(", "), strict=False)
            )
            at = next((at for at, (left, right) in enumerate(pairs) if left != right), None)
            if at is not None:
                return guards.parse(
                    f"tensor '{source}' size mismatch at index {at}. "
                    f"expected {pairs[at][0]}, actual {pairs[at][1]}"
                )[0]
    return None


def _following(recompile: RecompileFacts, guard: Guard, trees: GuardTrees) -> tuple[Guard, ...]:
    """Other guards that fail with the one on what selects, of each thing one."""
    found: dict[tuple[str, str], Guard] = {}
    for one in (*recompile.guards, *trees.differing(recompile, guard)):
        if one.source != guard.source and not guard_path(one.source).is_parameter:
            found.setdefault((one.source or one.text, one.kind), one)
    return tuple(found.values())[:_MAX_FOLLOWING]
