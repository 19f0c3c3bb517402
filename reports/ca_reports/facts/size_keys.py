"""Recompiles for a size that is a key of a dictionary: a cache that the forward fills, by length.

Dynamo makes a size dynamic once it varies, unless the code needs its number, as such a dictionary
does. Torch's reason names the size, which is checked first, and the tree of guards what the
dictionary held.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ca_engine.guards import Guard
    from ca_reports.facts.events import RecompileFacts
    from ca_reports.facts.guard_trees import GuardTrees
    from ca_reports.run.model import EventKey

# By one key anything could be a size of an argument; by more it follows them.
_FEW = 2


def keyed_sizes(
    recompiles: Iterable[RecompileFacts], trees: GuardTrees
) -> dict[EventKey, RecompileFacts]:
    """Return those of ``recompiles``, with the guard on the dictionary in place of the size's.

    It would have failed as well, had that on the size not failed before it.
    """
    sizes: dict[tuple[str, str, int | None], list[RecompileFacts]] = {}
    for recompile in recompiles:
        guard = recompile.guard
        if guard.kind == "size" and recompile.capture is None:
            sizes.setdefault(
                (recompile.compiled.code_number, guard.source, guard.index), []
            ).append(recompile)
    return {
        recompile.compiled.key: replace(recompile, guards=(guard,))
        for group in sizes.values()
        for recompile, guard in _keyed(group, trees)
    }


def _keyed(
    group: Sequence[RecompileFacts], trees: GuardTrees
) -> list[tuple[RecompileFacts, Guard]]:
    """Return the recompiles for one size, each with the guard on what is filled by it."""
    before = [trees.of(found.guard.failed) for found in group]
    held: dict[str, dict[tuple[str, frozenset[int]], None]] = {}
    for demands in (*before, *(trees.of(found.compiled.compile_id) for found in group)):
        for name, filled in demands.dictionaries.items() if demands is not None else ():
            held.setdefault(name, {})[filled.guard.text, filled.keys] = None
    told = [size for found in group for size in (found.guard.expected, found.guard.actual)]
    sizes = list(dict.fromkeys(int(size) for size in told if size and size.isdecimal()))
    source = next(
        (
            name
            for name, contents in held.items()
            if len(contents) > 1 and _follow(_in_order(contents), sizes)
        ),
        None,
    )
    return [
        (found, replace(demands.dictionaries[source].guard, failed=found.guard.failed))
        for found, demands in zip(group, before, strict=True)
        if source is not None and demands is not None and source in demands.dictionaries
    ]


def _in_order(contents: Iterable[tuple[str, frozenset[int]]]) -> list[int]:
    """Return the keys, those that a dictionary had earlier first."""
    return list(dict.fromkeys(key for _, keys in contents for key in sorted(keys)))


def _follow(keys: Sequence[int], sizes: Sequence[int]) -> bool:
    """Return whether ``keys`` are sizes, all of them less by one number, or one part of them.

    A token may be left out of each text, and images be counted in patches.
    """
    if set(keys) <= set(sizes):
        return True
    pairs = list(zip(keys, sizes, strict=False))
    if len(pairs) < max(_FEW, len(keys)):
        return False
    first, of = pairs[0]
    return all(size - key == of - first for key, size in pairs) or all(
        key * of == size * first for key, size in pairs
    )
