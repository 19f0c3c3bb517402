"""Which look-up of an earlier run is the one that a graph was compiled for then."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.costs.caches.components import component

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ca_reports.run.cached import CacheLookup, KeyDifference
    from ca_reports.run.model import Compile, Process

# Graphs of one function are compared with so many of the other run.
_MAX_COMPARED = 200
# One other operation makes another graph; of several functions alike it is the nearest that counts.
_WEIGHTS = {"graph": 50, "inputs": 3, "setting": 1, "derived": 1}


@dataclass(frozen=True, slots=True)
class Asked:
    """A look-up with its process and the compile that it was for, None if that left no record.

    ``number`` counts the look-ups of one function, cache and kind of graph, in each process.
    """

    lookup: CacheLookup
    process: Process
    compiled: Compile | None
    number: int

    @property
    def function(self) -> tuple[bool, str, str]:
        """Return what was compiled, wherever its file lies and whatever its line is."""
        compiled = self.compiled
        place = None if compiled is None else compiled.code or compiled.location
        if compiled is None or place is None:
            return False, "", ""
        if compiled.capture is not None:
            return True, "", ""
        return False, posixpath.basename(place.file.replace("\\", "/")), place.function


@dataclass(frozen=True, slots=True)
class Partner:
    """The look-up that one is compared with, and how their keys differ.

    ``is_same_function``: it was for a graph of the same function.
    """

    asked: Asked
    differences: tuple[KeyDifference, ...]
    is_same_function: bool


def all_asked(processes: Iterable[Process]) -> Iterator[Asked]:
    """Give the look-ups of these processes, in their order."""
    for process in processes:
        compiles = {compiled.compile_id: compiled for compiled in process.compiles}
        counts: dict[object, int] = {}
        for lookup in process.cache_lookups:
            compiled = compiles.get(lookup.compile_id)
            one = Asked(lookup, process, compiled, 0)
            kind = (one.function, lookup.cache, lookup.graph)
            number = counts[kind] = counts.get(kind, -1) + 1
            yield Asked(lookup, process, compiled, number)


class Partners:
    """The look-ups of earlier runs, by what they have in common with a later one."""

    def __init__(self, asked: Iterable[Asked]) -> None:
        """Compare with ``asked``, of which earlier ones are preferred."""
        self._by_key: dict[str, Asked] = {}
        self._by_kind: dict[object, list[Asked]] = {}
        for one in asked:
            if one.lookup.key is not None:
                self._by_key.setdefault(one.lookup.key, one)
            if one.lookup.parts:
                kind = (one.lookup.cache, one.lookup.graph)
                self._by_kind.setdefault(kind, []).append(one)

    def of(self, one: Asked) -> Partner | None:
        """Return the look-up with the same key, else the nearest; None if none can be compared."""
        lookup = one.lookup
        same = None if lookup.key is None else self._by_key.get(lookup.key)
        if same is not None:
            return Partner(same, (), same.function == one.function)
        if not lookup.parts:
            return None
        candidates = self._by_kind.get((lookup.cache, lookup.graph), [])
        own = [other for other in candidates if other.function == one.function]
        compared = (own or candidates)[:_MAX_COMPARED]
        if not compared:
            return None
        found = [(other, other.lookup.parts.differences(lookup.parts)) for other in compared]
        nearest, differences = min(
            found, key=lambda pair: (_distance(pair[1]), abs(pair[0].number - one.number))
        )
        return Partner(nearest, tuple(differences), bool(own))


def _distance(differences: Sequence[KeyDifference]) -> int:
    return sum(_WEIGHTS[component(found.name).family] for found in differences)
