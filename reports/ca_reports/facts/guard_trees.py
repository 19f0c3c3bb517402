"""The values that each compile of a code was made for, from its tree of guards.

A reason of Dynamo's names one guard of each earlier compile, the first that failed, in the order
in which it checks them. Its trees (``dynamo_cpp_guards_str``) have all: so they tell in how many
things two compiles differ, and which of these no reason names.
"""

from __future__ import annotations

import re
import sys
from array import array
from dataclasses import replace
from typing import TYPE_CHECKING

from ca_engine import guards
from ca_engine.guards import as_written
from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_reports.facts.guard_paths import guard_path
from ca_reports.facts.guarded_things import expected_length
from ca_reports.facts.step_kinds import kind_of
from ca_reports.facts.tree_lines import branches
from ca_reports.torchlib.tensors import SCALAR_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ca_engine.guards import Guard, GuardKind
    from ca_reports.facts.events import RecompileFacts
    from ca_reports.facts.guarded_things import GuardedThing
    from ca_reports.facts.step_kinds import Kind
    from ca_reports.logs.stored import StoredText
    from ca_reports.run.model import Compile

_NUMBER = r"-?(?:\d{1,20}(?:\.\d{1,25})?(?:e[+-]?\d{1,3})?|inf|nan)"
_IS_NUMBER = expression(_NUMBER)
# Each begins with a text, which is found many times faster than a line that begins with a tree's
# branches: `branches` looks at those.
_BAKED = expression(
    rf"\+- EQUALS_MATCH: (?P<text>(?P<source>[LG]\['\w+'\][^\n=]{{0,300}}?) == "
    rf"(?P<value>{_NUMBER})(?= |$)[^\n]*)",
    re.M,
)
_LENGTH = expression(
    r"\+- LENGTH_CHECK: len\((?P<source>[LG]\[[^\n]{1,300}?)\) == (?P<value>\d+)", re.M
)
_IDENTITY = expression(
    r"\+- (?:ID|TYPE)_MATCH: ___check_(?:obj|type)_id\((?P<source>L\[[^\n]{1,300}?), "
    r"(?P<value>\d+)\)"
)
_TENSOR = expression(
    r"\+- TENSOR_MATCH: check_tensor\(L\['(?P<source>\w{1,200})'\], \w{1,100}, "
    r"DispatchKeySet\([^)\n]{0,500}\), torch\.(?P<dtype>\w{1,30}), device=\w{1,9}, "
    r"requires_grad=\w{1,5}, size=\[(?P<size>[^\]\n]{0,300})\]"
)
# Inference mode's own tensors lack the key: nothing records that they are changed in place.
_ARGUMENT = expression(
    r"\+- TENSOR_MATCH: check_tensor\(L\['\w{1,200}'\], \w{1,100}, "
    r"DispatchKeySet\((?P<keys>[^)\n]{0,500})\)"
)
_OUTSIDE = "ADInplaceOrView"
# Of dictionaries that are looped over the keys in their order, and the tensors in them.
_KEY = expression(
    r"\+- EQUALS_MATCH: list\(dict\.keys\((?P<source>L\[[^\n]{1,300}?)\)\)\[(?P<at>\d{1,4})\] == "
    r"(?P<value>'[^'\n]{0,200}')"
)
_ITEM = expression(
    r"\+- TENSOR_MATCH: check_tensor\((?P<source>L\['(?!self')\w{1,200}'\]\['[^'\n]{1,200}'\]), "
    r"\w{1,100}, DispatchKeySet\([^)\n]{0,500}\), torch\.(?P<value>\w{1,30})"
)
# Of dictionaries how many keys they have, and numbers among these: of a cache by length, say.
_DICTIONARY = expression(
    r"\+- DICT_(?:LENGTH: |CONTAINS: (?=(?:not )?___dict_contains\(\d))"
    r"(?P<text>(?:len\(|(?:not )?___dict_contains\((?P<key>\d{1,9}), )"
    r"(?P<source>L\[[^\n]{1,300}?)\)(?= |$)[^\n]{0,1000})",
    re.M,
)
_NUMBERED = expression(
    r"\+- GuardManager: source=(?P<source>L\[[^\n]{1,300}?)\[(?P<key>\d{1,9})\], "
    r"accessed_by=DictGetItemGuardAccessor\((?P=key)\)"
)
_DICT = expression(
    r"\+- TYPE_MATCH: ___check_type_id\((?P<source>L\[[^\n]{1,300}?), \d{1,20}\), "
    r"type=<class 'dict'> {0,400}(?P<comment>[^\n]{0,1000})"
)
# A code with more compiles than that is compared no further: the limit of torch's is 8.
_COMPILES = 64
# Values that stay read, each once however many trees have it: some 5 MiB. Recompiles are looked at
# in their order, so that few trees are read twice.
_MOST_VALUES = 1 << 15
# So many places in trees take the memory of one value.
_PLACES = 32
# Other modules, or another mode, differ in more numbers than one or two.
_COINCIDING = 2
# Torch makes a size dynamic that changes, and these with it.
_OF_SIZES = ("size", "stride", "stride_relation", "storage_offset", "size_relation", "duck_size")
# Kinds whose remedy leaves whatever else changed as it is: no other object, class or mode.
_NOT_SPLIT = ("value", "length", "size", "stride", "rank", "dtype")


@dataclass(frozen=True)
class Filled:
    """The ``guard`` on what a dictionary holds, and those of its keys that are numbers.

    Where a key was there, its item is guarded, and nothing says that the dictionary has it.
    """

    guard: Guard
    keys: frozenset[int]


@dataclass(frozen=True)
class Demands:
    """The values that one compile was made for.

    ``numbers``: guarded expression → its guard on a Python number; ``tensors``: argument → its
    dtype and rank; ``values``: all that are guarded, as places in what the trees of a process have
    in common; ``dictionaries``: those that are guarded as they are filled. The ``tree`` stays
    packed: unpacked, the trees of a long job are most of what diagnosing it takes.
    """

    numbers: Mapping[str, Guard]
    tensors: Mapping[str, Mapping[GuardKind, str]]
    values: array[int]
    dictionaries: Mapping[str, Filled]
    tree: StoredText

    def distance(self, other: Demands) -> int:
        """Count the values that ``other`` was not compiled for."""
        return len(set(self.values).difference(other.values))

    def reads(self, sources: Iterable[str]) -> frozenset[str]:
        """Return those of ``sources`` that the code depends on, as dynamic numbers, say."""
        wanted = tuple(sources)
        text = self.tree.text if wanted else ""
        return frozenset(
            source for source in wanted if f"source={guard_path(source).in_frame}," in text
        )


class GuardTrees:
    """The trees of one process's compiles, read when asked for."""

    def __init__(self, compiles: Mapping[str, Compile], most: int = _MOST_VALUES) -> None:
        """``compiles`` are those of user code, by their ids; of trees ``most`` values stay read."""
        self._compiles = compiles
        self._read: dict[str, Demands] = {}
        self._known = _Known()
        self._kinds: dict[str, Kind | None] = {}
        self._most = most

    def of(self, compile_id: str | None) -> Demands | None:
        """Return the demands of a compile; None if the log has no tree of it."""
        if compile_id is None or compile_id not in self._compiles:
            return None
        found = self._read.get(compile_id)
        if found is None:
            stored = self._compiles[compile_id].guards
            number = compile_id.rpartition("/")[2]
            if stored is None or not number.isdecimal() or int(number) >= _COMPILES:
                return None
            if len(self._known) > self._most:
                self._read.clear()
                self._known = _Known()
            found = self._known.demands(stored)
            self._read[compile_id] = found
        return found

    def coinciding(self, recompile: RecompileFacts) -> tuple[Guard, ...]:
        """Return guards that would have failed, too, had the decisive one not failed first.

        On numbers, and on the dtype or rank of an argument where the decisive one is of another
        kind: several tensors of one batch change together.

        None where the decisive one is on a mode, a class or an object: what differs then may be
        that other object's.
        """
        guard = recompile.guard
        if guard.kind not in _NOT_SPLIT or _is_mode(guard) or self.is_of_other_module(recompile):
            return ()
        found = self.differing(recompile, guard)
        return found if len(found) <= _COINCIDING else ()

    def differing(self, recompile: RecompileFacts, guard: Guard) -> tuple[Guard, ...]:
        """Return guards of the compile whose ``guard`` failed that fail beside it, of those kinds.

        As the recorder asked them, else as far as the trees of both compiles tell.
        """
        if (asked := _asked(recompile, guard)) is not None:
            return asked and self._read_by(recompile, asked)
        before, now = self.of(guard.failed), self.of(recompile.compiled.compile_id)
        if before is None or now is None:
            return ()
        found = []
        dynamic = now.reads(before.numbers.keys() - now.numbers.keys())
        for source, demand in before.numbers.items():
            came = now.numbers.get(source)
            if came is None and source not in dynamic:
                continue
            if came is not None and came.expected == demand.expected:
                continue
            if guard_path(source).is_related(guard_path(guard.source)):
                continue
            actual = None if came is None else came.expected
            found.append(replace(demand, failed=guard.failed, actual=actual))
        beside = [*_other_kinds(before, now)]
        beside += _parted(self._compiles.get(guard.failed or ""), recompile.compiled)
        found += [replace(one, failed=guard.failed) for one in beside if one.kind != guard.kind]
        return tuple(found)

    def _read_by(self, recompile: RecompileFacts, found: tuple[Guard, ...]) -> tuple[Guard, ...]:
        """Leave out guards on what the other way through the function does not read.

        That made no compile.
        """
        now = self.of(recompile.compiled.compile_id)
        read = None if now is None else now.reads(one.source for one in found)
        return tuple(one for one in found if read is None or one.source in read)

    def makes_dynamic(self, thing: GuardedThing) -> bool:
        """Return whether a thing is a number, and its one recompile takes any value of it."""
        if thing.times != 1 or thing.limit is not None or thing.guard.kind != "value":
            return False
        if _IS_NUMBER.fullmatch(thing.guard.expected or "") is None:
            return False
        now = self.of(thing.first.compiled.compile_id)
        if now is None or thing.source in now.numbers:
            return False
        return bool(now.reads([thing.source]))

    def kind(self, compile_id: str) -> Kind | None:
        """Return what a compile does; None if the log has no tree of it."""
        if compile_id not in self._kinds:
            text = self.text(compile_id)
            self._kinds[compile_id] = kind_of(text) if text else None
        return self._kinds[compile_id]

    def has_outside_inputs(self, compile_id: str) -> bool | None:
        """Return whether a compile's tensors were made outside of inference mode.

        None where only some were, or the log has no tree of it.
        """
        found = {_OUTSIDE in one["keys"] for one in branches(_ARGUMENT, self.text(compile_id))}
        return found.pop() if len(found) == 1 else None

    def is_dynamic(self, compile_id: str | None, guard: Guard) -> bool:
        """Return whether a compile takes any size, or any stride, where ``guard`` is on one."""
        text = "" if compile_id is None or guard.index is None else self.text(compile_id)
        check = f"check_tensor({guard_path(guard.source).in_frame}, "
        line = text[at:].partition("\n")[0] if (at := text.find(check)) >= 0 else ""
        listed = line.partition(f"{guard.kind}=[")[2].partition("]")[0].split(", ")
        return (guard.index or 0) < len(listed) and listed[guard.index or 0] == "None"

    def text(self, compile_id: str) -> str:
        """Return a compile's tree; empty if the log has none of it."""
        compiled = self._compiles.get(compile_id)
        stored = None if compiled is None else compiled.guards
        return "" if stored is None else stored.text

    def is_of_other_module(self, recompile: RecompileFacts) -> bool:
        """Return whether this call was of another module than the one compiled for before."""
        earlier = self._compiles.get(recompile.guard.failed or "")
        now = recompile.compiled.own_object
        before = None if earlier is None else earlier.own_object
        return now is not None and before is not None and now != before


def thing_of(guard: Guard) -> tuple[str, ...]:
    """Return what a guard is on: of a tensor its dtype, its rank or a size."""
    is_of_tensor = guard.kind in ("dtype", "rank", *_OF_SIZES)
    return (guard.source, guard.kind) if is_of_tensor else (guard.source,)


def _asked(recompile: RecompileFacts, guard: Guard) -> tuple[Guard, ...] | None:
    """Return the guards that failed beside ``guard``; None where the recorder did not ask.

    Not those on sizes, which torch makes dynamic, nor on what is read of the same thing.
    """
    held = recompile.compiled.held
    asked = None if held is None else held.beside(guard.failed)
    if asked is None:
        return None
    failed = guard_path(guard.source)
    named = (one for one in recompile.guards if one.failed == guard.failed)
    found: dict[tuple[str, GuardKind], Guard] = {}
    for one in (*named, *(beside.guard for beside in asked)):
        is_same = guard_path(one.source).is_related(failed)
        if one.source and one.kind not in _OF_SIZES and not is_same:
            found.setdefault((one.source, one.kind), replace(one, failed=guard.failed))
    return tuple(found.values())


def _other_kinds(before: Demands, now: Demands) -> Iterator[Guard]:
    """Yield the first argument of another dtype, and the first of another rank, as guards."""
    kinds: tuple[GuardKind, ...] = ("dtype", "rank")
    for kind in kinds:
        for source, tensor in before.tensors.items():
            expected, actual = tensor[kind], now.tensors.get(source, tensor)[kind]
            if expected != actual:
                reason = f"tensor '{source}' {kind} mismatch. expected {expected}, actual {actual}"
                yield guards.parse(reason)[0]
                break


def _parted(earlier: Compile | None, compiled: Compile) -> Iterator[Guard]:
    """Yield a guard on two arguments that were one tensor and are two, or the other way round."""
    before, now = _shared(earlier), _shared(compiled)
    for names in sorted((before or set()) ^ (now or set())) if None not in (before, now) else ():
        yield guards.parse(f'Duplicate tensors found: ["{names[0]}", "{names[1]}"]')[0]
        return


def _shared(compiled: Compile | None) -> set[tuple[str, str]] | None:
    """Return the pairs of arguments that are one tensor; None where nobody looked."""
    if compiled is None or compiled.held is None:
        return None
    names: dict[int, list[str]] = {}
    for name, held in compiled.held.arguments:
        if held.identity is not None and held.shape is not None and name.isidentifier():
            names.setdefault(held.identity, []).append(name)
    return {(found[0], other) for found in names.values() for other in found[1:]}


class _Known:
    """Keeps what the trees of a process demand once: most trees have most values in common."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, str], int] = {}
        self._guards: dict[str, Guard] = {}
        self._tensors: dict[tuple[str, str], Mapping[GuardKind, str]] = {}
        self._places = 0

    def __len__(self) -> int:
        return len(self._values) + self._places // _PLACES

    def demands(self, tree: StoredText) -> Demands:
        """Read a tree."""
        text = tree.text
        numbers: dict[str, Guard] = {}
        every: dict[str, str] = {}
        for found in branches(_BAKED, text):
            guard = self._guard(as_written(found["text"]))
            if guard.kind == "value" and guard.source:
                numbers[guard.source] = guard
                every[guard.source] = found["value"]
        for found in branches(_LENGTH, text):
            every[f"len({found['source']})"] = found["value"]
        for found in branches(_IDENTITY, text):
            every[f"id({found['source']})"] = found["value"]
        for found in branches(_KEY, text):
            every[f"key {found['at']} of {found['source']}"] = found["value"]
        for found in branches(_ITEM, text):
            every[f"dtype({found['source']})"] = found["value"]
        tensors = {
            sys.intern(found["source"]): self._tensor(found["dtype"], found["size"])
            for found in branches(_TENSOR, text)
        }
        self._places += len(every) + len(numbers) + len(tensors)
        known = self._values
        values = array("I", [known.setdefault(value, len(known)) for value in every.items()])
        return Demands(numbers, tensors, values, self._dictionaries(text), tree)

    def _dictionaries(self, text: str) -> dict[str, Filled]:
        keys: dict[str, set[int]] = {}
        filled: dict[str, Guard] = {}
        for found in branches(_DICTIONARY, text):
            guard = self._guard(as_written(found["text"]))
            filled.setdefault(guard.source, guard)
            if found["key"] is not None:
                keys.setdefault(guard.source, set()).add(int(found["key"]))
        for found in branches(_NUMBERED, text):
            keys.setdefault(as_written(found["source"]), set()).add(int(found["key"]))
        for found in branches(_DICT, text) if keys.keys() - filled.keys() else ():
            source = as_written(found["source"])
            if source in keys and source not in filled:
                has = f"___dict_contains({min(keys[source])}, {source})  {found['comment']}"
                filled[source] = self._guard(has)
        return {
            source: Filled(guard, frozenset(keys[source]))
            for source, guard in filled.items()
            if source in keys
        }

    def _guard(self, text: str) -> Guard:
        found = self._guards.get(text)
        if found is None:
            found = self._guards[text] = guards.parse(text)[0]
        return found

    def _tensor(self, dtype: str, size: str) -> Mapping[GuardKind, str]:
        rank = str(len(size.split(",")) if size else 0)
        made: Mapping[GuardKind, str] = {"dtype": SCALAR_TYPES.get(dtype, dtype), "rank": rank}
        return self._tensors.setdefault((dtype, rank), made)


def _is_mode(guard: Guard) -> bool:
    if guard.kind != "value" or guard.expected is None or _is_number(guard.expected):
        return False
    return expected_length(guard) is None  # `not self.outputs`: of a list that was empty


def _is_number(text: str) -> bool:
    return re.fullmatch(_NUMBER, text) is not None
