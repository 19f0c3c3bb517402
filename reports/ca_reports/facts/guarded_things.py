"""The history of each guarded thing: all recompiles of one code that it made, and its values.

A reason names what a guard expected; what came instead is in our own record (``ca_guards``), so
torch's own logs know of the last change only that there was one. Sizes and strides of
inputs have a history of their own (``size_changes``).
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from contextlib import suppress
from functools import cached_property
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Literal

from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_reports.facts.guard_paths import (
    GuardPath,
    aliases,
    guard_path,
    paths_in,
    readable,
    referring,
)
from ca_reports.facts.size_changes import is_zero_one_guard
from ca_reports.program.quoted import filled, lookups
from ca_reports.program.stack import (
    Frame,
    in_torch,
    is_generated,
    is_installed,
    is_of_optimizer,
    own_frame,
    package_of,
)
from ca_reports.torchlib.dynamo import TRACED_FOLDERS
from ca_reports.words.guard_values import class_name, in_order, is_local, literal, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ca_engine.guards import Guard, GuardKind
    from ca_engine.tracebacks import TextFrame
    from ca_reports.facts.events import RecompileFacts
    from ca_reports.run.held import Held
    from ca_reports.run.model import Compile, GraphBreak

# What a guarded thing is, which says whose to change it is and how.
Subject = Literal[
    "int",
    "float",
    "mode",  # a str, bool, None or enum
    "attribute",  # a number of a module's, or what an object has since the first call
    "global",
    "object",  # one particular object
    "type",
    "tensor",  # anything of a tensor but its sizes
    "rank",
    "length",
    "keys",
    "size_condition",
    "duck_size",
    "alias",
    "training",
    "resumed",  # computed before a graph break
    "backend",
    "hooks",
    "state",
    "other",
]
# How its values follow each other.
#   drift: a new one each time; counter: the same step each time; growth: a container that grows
#   turns: few values that come back; changed: seen once
Pattern = Literal["drift", "counter", "growth", "turns", "changed"]

_TENSOR_KINDS = ("dtype", "device", "requires_grad", "dispatch_keys")
# Of a drive, too, and of a home whose place a shared page leaves out.
_ABSOLUTE = expression(r"~?/|[A-Za-z]:[\\/]")
_SIZE_KINDS = ("size", "stride")
_KEY_KINDS = ("keys", "membership")
_COMPARED = ("value", "metadata")  # with a value that is written down
_A_TENSOR = "a tensor type"  # as torch names what it expected of a class
_ENOUGH = 3
# Words, flags and members of an enum: so many are likely to come back.
_FEW_MODES = 4
_OTHER_LENGTH = expression(r" != (\d+)$")
_RESUME = "torch_dynamo_resume_in_"
_ATTRIBUTE = expression(r"(?:no )?'(?P<name>[A-Za-z_]\w*)'")
# A class whose objects are certainly no tensors: ``<class 'int'>``.
_NO_TENSOR = expression(r"\b(?:NoneType|bool|int|float|str|list|tuple|dict)\b")
_HINTED = expression(r'guard on "(\w+)"')
# An attribute that an object does not have, or has of its class only.
NOT_SET, IS_SET = "not set", "set"
_PARTIAL_TYPE = "functools.partial"
_DATA_BREAK = expression(r"Tensor\.item\(\)|\.item\b|\.tolist\b|data-dependent", re.IGNORECASE)


Identity = tuple[tuple[object, ...], str]


@dataclass(frozen=True)
class GuardedThing:
    """All recompiles of one code for one guarded thing, in order; never empty.

    ``limit`` is the compile that Dynamo gave up for this code, None if it did not.
    ``break_before`` is the graph break after which the code goes on, where it does; ``is_given`` if
    the function was called with the thing, and did not make it before the break.
    ``is_dynamic_now``: it is a number, of which its one recompile takes any value.
    """

    recompiles: tuple[RecompileFacts, ...]
    limit: Compile | None = None
    break_before: GraphBreak | None = None
    is_given: bool = False
    is_dynamic_now: bool = False

    @property
    def times(self) -> int:
        """Count the recompiles of the code; a compile that a limit refused is none."""
        return sum(not found.compiled.is_refused for found in self.recompiles)

    @property
    def first(self) -> RecompileFacts:
        """Return the first of them."""
        return self.recompiles[0]

    @property
    def guard(self) -> Guard:
        """Return the guard that failed first."""
        return self.first.guard

    @cached_property
    def source(self) -> str:
        """Return the guarded thing as an expression; empty if the guard names none."""
        return named(self.guard)

    @cached_property
    def path(self) -> GuardPath:
        """Return the path of the guarded thing, without a root if the guard names none."""
        return guard_path(self.source)

    @property
    def identity(self) -> Identity:
        """Return what tells it from others of a process: the first recompile and its guard."""
        return self.first.compiled.key, self.guard.text

    @property
    def key(self) -> str:
        """Return what is the same in every run of the program: the guarded thing, else its kind."""
        return self.guard.kind if self.is_of_parameters else self.source or self.guard.kind

    @property
    def name(self) -> str:
        """Return the guarded thing as users write it, else the guard itself."""
        return closure_variable(self.guard) or readable(self.source or self.guard.text)

    @property
    def ref(self) -> str:
        """Return its name for a sentence, which refers to what has none in the program."""
        return closure_variable(self.guard) or referring(self.source or self.guard.text)

    @property
    def sources(self) -> tuple[str, ...]:
        """Return every guarded thing, where torch names one of several: frozen parameters."""
        return tuple(dict.fromkeys(found.guard.source for found in self.recompiles))

    @property
    def tensors(self) -> tuple[str, ...]:
        """Return the arguments that were one tensor in some calls, as guards name them."""
        if self.guard.kind != "duplicate":
            return (self.source,)
        return aliases(self.guard.source)

    @property
    def selects(self) -> bool:
        """Return whether it selects a kind of step that no graph of another one serves."""
        return any(found.selects for found in self.recompiles)

    @property
    def is_of_parameters(self) -> bool:
        """Return whether flags were set: parameters or other leaves frozen, or trained again."""
        return _is_switched(self.first)

    @property
    def function(self) -> str:
        """Return the function that is compiled again; empty if it is unknown or has no name."""
        compiled = self.first.compiled
        place = compiled.code if self.is_of_optimizer else compiled.location
        return "" if place is None or place.function.startswith("<") else place.function

    @cached_property
    def subject(self) -> Subject:
        """Name the guarded thing."""
        return _subject(self)

    @cached_property
    def values(self) -> tuple[str, ...]:
        """Return its values in the order of the compiles for them, as far as known.

        Two equal ones never follow each other. A guard that failed may be of any earlier compile:
        that of the closest, where several modules share the code.
        """
        of_compile: dict[float, str] = {}
        for position, recompile in enumerate(self._of_one_code, 1):
            before, after = self._pair(recompile)
            number = _number_of(recompile.compiled.compile_id) or position
            failed = _number_of(recompile.guard.failed or "")
            if before is not None:
                at = number - 0.5 if failed is None else failed
                if of_compile.get(at, IS_SET) == IS_SET:
                    of_compile[at] = before
            if after is not None:
                of_compile[number] = after
        ordered = [value for _, value in sorted(of_compile.items())]
        if not set(ordered) <= {NOT_SET, IS_SET}:  # to what it was set, later guards tell
            ordered = [value for value in ordered if value != IS_SET]
        return tuple(value for value, _ in groupby(ordered))

    @cached_property
    def _of_one_code(self) -> tuple[RecompileFacts, ...]:
        """Return those of the code recompiled most often: each code saw the same values."""
        codes = Counter(found.compiled.code_number for found in self.recompiles)
        most = codes.most_common(1)[0][0]
        return tuple(found for found in self.recompiles if found.compiled.code_number == most)

    @cached_property
    def is_of_several_types(self) -> bool:
        """Return whether it is a number of one type in some calls and of another in others."""
        if self.subject not in ("int", "float", "attribute", "global"):
            return False
        kinds = set(_types_of(self))
        return len(kinds) > 1 or any(found.guard.kind == "type" for found in self.recompiles)

    def _pair(self, recompile: RecompileFacts) -> tuple[str | None, str | None]:
        """Return what the guard expected and what came."""
        if self.is_counted:
            length = None if recompile.held is None else recompile.held.length
            return expected_length(recompile.guard), None if length is None else str(length)
        if recompile.guard.kind == "type" and self.guard.kind == "value":
            # Of a number, whose value the class says less than; but None comes by turns with it.
            is_tensor = recompile.guard.expected == _A_TENSOR
            return "a tensor" if is_tensor else None, held(recompile)
        return expected(recompile.guard), held(recompile)

    @cached_property
    def is_counted(self) -> bool:
        """Return whether its length tells its history: a container that grows."""
        return any(
            found.guard.kind == "length"
            or (found.held is not None and found.held.length is not None
                and found.guard.text.startswith("not ")
                and found.guard.kind not in ("attribute", "membership"))
            for found in self.recompiles
        )  # fmt: skip

    @property
    def knows_last(self) -> bool:
        """Return whether the last recompile's value is known, and not only the one before."""
        return self._pair(self._of_one_code[-1])[1] is not None

    @property
    def last_keys(self) -> tuple[str, ...]:
        """Return a dict's keys in the order of the last recompile; empty if unknown."""
        return _keys_held(self._of_one_code[-1])

    @property
    def has_keys_in_another_order(self) -> bool:
        """Return whether a dict comes with one set of keys, in more than one order."""
        seen = [keys for one in self._of_one_code if (keys := _keys_held(one))]
        return len(set(seen)) > 1 and len(set(map(frozenset, seen))) == 1

    @property
    def has_keys_of_data(self) -> bool:
        """Return whether a dict's keys are data, such as ids: no call has the keys of another.

        Entries that are optional are some of a few, and others are always there.
        """
        seen = [frozenset(keys) for one in self._of_one_code if (keys := _keys_held(one))]
        every = frozenset[str]().union(*seen)
        return (
            len(seen) >= _ENOUGH
            and len(set(seen)) == len(seen)
            and not frozenset.intersection(*seen)
            and len(every) >= 2 * max(map(len, seen))
        )

    @property
    def knows_first(self) -> bool:
        """Return whether it is known what the code was compiled for at first."""
        return self._pair(self._of_one_code[0])[0] is not None

    @cached_property
    def pattern(self) -> Pattern:
        """Classify how the values follow each other."""
        values = self.values
        if self.is_counted and self._is_added_to:
            return "growth"
        if self.selects:
            return "turns"
        known = len(set(values)) + (not self.knows_last) + (not self.knows_first)
        if known < _ENOUGH or (self.subject == "mode" and known <= _FEW_MODES):
            return "turns" if len(values) > len(set(values)) else "changed"
        if len(set(values)) < len(values):
            return "turns"
        numbers = _numbers(values)
        if numbers is None:
            return "drift"
        steps = {round(after - before, 9) for before, after in pairwise(numbers)}
        if self.is_counted:
            return "growth" if min(steps) > 0 else "drift"
        all_int = all(number == int(number) for number in numbers)
        return "counter" if len(steps) == 1 and all_int else "drift"

    @property
    def _is_added_to(self) -> bool:
        """Return whether the line of a guard makes the container longer.

        Two objects whose lengths grow by turns (a model and its average) share their code.
        """
        lines = {place.code for one in self.recompiles if (place := one.guard.place) is not None}
        return any(ast.unparse(one) == self.name for line in lines for one in filled(line))

    @property
    def history(self) -> str:
        """Return ``1.0 → 0.9 → 0.8, a new value each time``; empty if no value is known."""
        values = self.values
        if not values:
            return ""
        begin = () if self.knows_first else ("…",)
        end = () if self.knows_last else ("…",)
        if self.pattern == "turns" or (self.subject == "mode" and self.pattern == "changed"):
            distinct = (*begin, *dict.fromkeys(values), *end)
            return f"{in_order(distinct, ' ↔ ')}, {len(distinct)} values"
        if self.pattern == "growth":
            values = tuple(dict.fromkeys(values))
        told = in_order((*begin, *values, *end))
        words = {
            "drift": ", numbers of several types"
            if self.is_of_several_types
            else ", a new value each time",
            "counter": ", a counter",
            "growth": ", more each time",
        }
        if self.is_of_each_module and self.pattern in ("drift", "counter"):
            return f"{told}, one for each module"
        return told + words.get(self.pattern, "")

    @cached_property
    def location(self) -> Frame | None:
        """Return the user's line of the guard, else what was compiled, else where it was called."""
        for recompile in self.recompiles:
            line = _guard_line(recompile)
            if line is not None:
                return line
        return compiled_line(self.first.compiled)

    @property
    def is_torchs(self) -> bool:
        """Return whether the code that is compiled again is torch's own, and none of the user's.

        A model of torch's (`nn.Sequential`) is compiled through torch's code, but made by the user.
        Every optimizer's step is wrapped by code of torch's: whose it is says the line that asked
        for the guard, or else the optimizer's class.
        """
        if self.is_of_optimizer:
            return all(map(_is_read_by_torch, self.recompiles))
        place = self.first.compiled.location
        return place is not None and in_torch(place.file)

    @property
    def is_of_optimizer(self) -> bool:
        """Return whether it is the step of an optimizer: torch's, or one that derives from them."""
        code = self.first.compiled.code
        return code is not None and is_of_optimizer(code.file)

    @property
    def is_state_of_optimizer(self) -> bool:
        """Return whether it is an optimizer's state, or a part of it."""
        return self.is_of_optimizer and (self.path.of_object or ())[:1] == ("state",)

    @property
    def is_optimizer(self) -> bool:
        """Return whether it is the optimizer whose step is compiled, or that one's class."""
        return self.is_of_optimizer and self.path.of_object in ((), ("__class__", "__name__"))

    @property
    def is_made_by_first_step(self) -> bool:
        """Return whether it is an optimizer's state, which was empty before the first step only."""
        is_filled = self.times == 1 and expected_length(self.guard) == "0"
        return is_filled and self.is_state_of_optimizer

    @property
    def is_of_each_module(self) -> bool:
        """Return whether several modules share the code, and each was called in one recompile."""
        found = modules_of(self.recompiles)
        return 1 < len(found) == len(self._of_one_code)

    @property
    def package(self) -> str:
        """Whose own the guarded thing is, if not the user's: a library's global or container.

        Its configuration is the user's to set, and so is a number of a module's, by an option of
        Dynamo's. Empty if it may be the user's.
        """
        location = self.first.compiled.location
        if location is None or not is_installed(location.file) or _is_configuration(self.path):
            return ""
        is_inside = self.path.is_of_self and self.subject in ("keys", "length", "object")
        return package_of(location) if is_inside or self.subject == "global" else ""

    @property
    def is_of_receiver(self) -> bool:
        """Return whether it begins with what `forward` calls its module, mostly `self`."""
        record = self.first.compiled.held
        arguments = [name for name, _ in record.arguments] if record is not None else []
        is_method = self.function in ("forward", "__call__") and not self.path.scope
        return self.path.is_of_own or (is_method and self.path.root in arguments[:1])

    @property
    def is_of_module(self) -> bool:
        """Return whether it is an attribute of a module: of the compiled one, or of one within."""
        is_plain = bool(self.path.attribute) and len(self.path.steps) == 1
        return self.path.is_of_module or (is_plain and self.is_of_receiver)


def _is_on_stack(guard: Guard) -> bool:
    return any(path.is_on_stack for path in paths_in(guard.text))


def _is_configuration(path: GuardPath) -> bool:
    return any("config" in name for name in path.names)


def closure_variable(guard: Guard) -> str:
    """Return the variable in a closure's cell, where torch's hint has its name; else ""."""
    named = _HINTED.fullmatch(guard.hint) if guard_path(guard.source).cell is not None else None
    return "" if named is None else named[1]


def _number_of(compile_id: str) -> int | None:
    """Return ``3`` of ``0/3``."""
    number = compile_id.rpartition("/")[2]
    return int(number) if number.isdecimal() else None


def named(guard: Guard) -> str:
    """Name the guarded thing, also where it is part of an expression: ``n`` of ``(n % 7) == 2``."""
    if guard.kind == "attribute" and (found := _ATTRIBUTE.fullmatch(guard.expected or "")):
        return f"{guard.source}.{found['name']}"
    if guard.kind in _SIZE_KINDS and (module := guard_path(guard.source).given_module):
        return module
    if guard.source or guard.kind != "value":
        return guard.source
    return next((path.text for path in paths_in(guard.text)), "")


def expected(guard: Guard) -> str | None:
    """Format what a guard expected; None where it does not say."""
    told = guard.expected
    if guard.kind == "type" and told is not None:
        if told != "a tensor type":
            return _of_class(told)
        return "a tensor" if _NO_TENSOR.search(guard.actual or "") else None
    if guard.kind == "membership" and told is not None:
        return _member(told)
    if guard.kind == "attribute" and told is not None:
        return NOT_SET if told.startswith("no ") else IS_SET
    if guard.kind in _COMPARED and told is not None:
        if guard.text in (guard.source, f"not {guard.source}"):
            return None  # whether it holds anything, and not what
        try:
            return shown(literal(told))
        except ValueError:
            return told
    if guard.kind in (*_TENSOR_KINDS, "rank"):
        return _shorter(guard, told)
    return None


def expected_length(guard: Guard) -> str | None:
    """Return the length that a guard expected; torch writes some as what they must not be."""
    if guard.kind == "value" and guard.source and guard.text == f"not {guard.source}":
        return "0"
    if guard.kind != "length":
        return None
    found = _OTHER_LENGTH.search(guard.text)
    return found[1] if found else guard.expected


def held(recompile: RecompileFacts) -> str | None:
    """Format what the thing held when its guard failed; None if that is unknown."""
    guard, found = recompile.guard, recompile.held
    if guard.kind == "attribute":
        return {NOT_SET: IS_SET, IS_SET: NOT_SET}.get(expected(guard) or "")
    if guard.kind in _TENSOR_KINDS or guard.kind == "rank":
        return _shorter(guard, guard.actual)
    if found is None:
        found = _argument(recompile)
    if found is None and guard.kind in _COMPARED and guard.actual is not None:
        return shown(literal(guard.actual))  # from the guards of the compile that came of it
    if found is None:
        return None if guard.actual is None else _of_class(guard.actual)
    if guard.kind == "type":
        is_of_numpy = found.type.startswith("numpy.") and found.shape is None
        return f"NumPy {_of_class(found.type)}" if is_of_numpy else _of_class(found.type)
    if guard.kind == "membership":
        return None if guard.expected is None else _member(guard.expected, flipped=True)
    if guard.kind == "size_relation":
        return _size_of(found, guard.index)
    if guard.kind == "keys":
        return "{" + ", ".join(found.keys) + "}" if found.keys else None
    if found.has_value:
        is_name = guard.kind == "identity" and isinstance(found.value, str)
        if is_name and is_local(str(found.value)):
            return class_name(str(found.value))
        return f"{class_name(found.type)}.{found.value}" if is_name else shown(found.value)
    return "a tensor" if found.shape is not None and guard.expected == "None" else None


def _keys_held(recompile: RecompileFacts) -> tuple[str, ...]:
    """Return the keys of the dict that a recompile is for; empty if unknown."""
    found = recompile.held or _argument(recompile)
    return () if found is None else tuple(found.keys)


def _of_class(name: str) -> str:
    return "None" if name.endswith("NoneType'>") or name == "NoneType" else class_name(name)


def _member(key: str, *, flipped: bool = False) -> str:
    """Return ``with 'k'`` for ``'k'``, ``without 'k'`` for ``no 'k'``."""
    is_absent = key.startswith("no ") is not flipped
    return f"{'without' if is_absent else 'with'} {key.removeprefix('no ')}"


def _size_of(found: Held, dimension: int | None) -> str | None:
    shape = found.shape
    if shape is None or dimension is None or dimension >= len(shape):
        return None
    return None if shape[dimension] is None else str(shape[dimension])


def guarded_things(
    recompiles: Iterable[RecompileFacts],
    limits: Iterable[Compile] = (),
    breaks: Iterable[GraphBreak] = (),
    begun_as: Mapping[str, str] | None = None,
    given: Mapping[str, frozenset[str]] | None = None,
) -> tuple[GuardedThing, ...]:
    """Return the recompiles for anything but sizes, joined by code and guarded thing.

    ``begun_as`` maps what is left of a function after a graph break to the function's own code: the
    user knows one function, and one thing to change. ``given`` has the arguments of such codes.
    """
    groups: dict[tuple[str, str, str], list[RecompileFacts]] = {}
    for recompile in recompiles:
        guard = recompile.guard
        if guard.kind in _SIZE_KINDS and not guard_path(guard.source).is_parameter:
            continue
        code = recompile.compiled.code_number
        if begun_as is not None and not _is_on_stack(guard):
            code = begun_as.get(code, code)
        key = (code, _thing(recompile), _family(guard.kind))
        groups.setdefault(key, []).append(recompile)
    _join_passed_on(groups, begun_as or {})
    ends = {limit.code_number: limit for limit in limits}
    known = tuple(breaks)
    return tuple(
        GuardedThing(
            tuple(group),
            next((ends[code] for one in group if (code := one.compiled.code_number) in ends), None),
            _break_before(group[0], known),
            group[0].guard.source in (given or {}).get(whole, ()),
        )
        for (whole, _, _), group in groups.items()
    )


def _join_passed_on(
    groups: dict[tuple[str, str, str], list[RecompileFacts]], begun_as: Mapping[str, str]
) -> None:
    """Join to the first group what comes of it in the rest of its function after a graph break.

    A tensor of another dtype or device, or one made in another mode, makes others of its kind: what
    the rest of the function was given, ``___stack0``, is nothing that a user could change.
    """
    for key, group in list(groups.items()):
        kind = group[0].guard.kind
        begun = {begun_as.get(found.compiled.code_number) for found in group}
        if kind not in _TENSOR_KINDS or len(begun) != 1 or None in begun:
            continue
        first = next(
            (
                other
                for other in groups.values()
                if other[0].guard.kind == kind and other[0].compiled.code_number in begun
            ),
            None,
        )
        if first is not None:
            first += group
            del groups[key]


def keys_of(things: Sequence[GuardedThing]) -> dict[Identity, list[GuardedThing]]:
    """Map a container's identity to the words and numbers that its function looks up in it.

    Dynamo compiles for such a key as well as for what the container holds; without the container
    nothing would ask for the key. A batch that is given has keys of its own.
    """
    containers = {
        (
            thing.first.compiled.code_number,
            closure_variable(thing.guard) or _last_name(thing.path),
        ): thing
        for thing in things
        if thing.subject in ("keys", "length") and not thing.path.is_variable
    }
    found: dict[Identity, list[GuardedThing]] = {}
    for thing in things if containers else ():
        line = thing.location
        if line is None or thing.subject not in ("mode", "int"):
            continue
        for key, holder in lookups(line.code):
            name = _last_name(guard_path(ast.unparse(holder)))
            container = containers.get((thing.first.compiled.code_number, name))
            if container is not None and ast.unparse(key) == thing.name:
                found.setdefault(container.identity, []).append(thing)
                break
    return found


def _last_name(path: GuardPath) -> str:
    """Return the last name or key that leads to a container; all of it past a call."""
    return (path.names or (path.text,))[-1]


def _is_switched(recompile: RecompileFacts) -> bool:
    """Return whether `requires_grad` of a tensor itself was set since the earlier compile."""
    return recompile.guard.kind == "requires_grad" and recompile.gradient_flag == "switched"


def _thing(recompile: RecompileFacts) -> str:
    """Return the key of a guarded thing among others of its code."""
    guard = recompile.guard
    if guard.kind in ("backend", "metadata"):
        return guard.source  # the text names backends, and what checks metadata, by their addresses
    if _is_switched(recompile):
        return ""  # torch names one tensor of all that were frozen
    if several := guard_path(guard.source).of_gradients:
        return f"{several}[].grad"  # of one loop over parameters, whichever has none
    return named(guard) or guard.text


def modules_of(recompiles: Iterable[RecompileFacts]) -> frozenset[int]:
    """Return identities of the modules whose forward was recompiled, as far as we noted them."""
    own = (found.compiled.own_object for found in recompiles)
    return frozenset(identity for identity in own if identity is not None)


def compiled_line(compiled: Compile) -> Frame | None:
    """Return what was compiled, or the user's line that called it where that is of a package."""
    found = compiled.location
    if found is not None and (is_installed(found.file) or is_generated(found.file)):
        return own_frame(compiled.stack) or compiled.location
    return compiled.location


def _family(kind: GuardKind) -> str:
    """Return the family of a guard: those of one family on one thing are one history."""
    if kind in ("value", "length", *_KEY_KINDS, "attribute", "type", "identity", "deallocated"):
        return "content"
    return kind


def _subject(thing: GuardedThing) -> Subject:
    guard = thing.guard
    kinds = {found.guard.kind for found in thing.recompiles}
    by_kind: dict[GuardKind, Subject] = {
        "rank": "rank",
        "dtype": "tensor",
        "device": "tensor",
        "requires_grad": "tensor",
        "dispatch_keys": "tensor",
        "size_relation": "size_condition",
        "duck_size": "duck_size",
        "duplicate": "alias",
        "deallocated": "object",
        "size": "object",  # of a parameter: see `GuardPath.is_parameter`
        "stride": "object",
        "storage_offset": "other",  # CA111
        "stride_relation": "other",  # CA111
        "backend": "backend",
        "global_state": "state",
        "attribute": "attribute",
    }
    if thing.path.is_of_hooks:
        return "hooks"
    if is_zero_one_guard(guard):
        return "other"  # CA103 knows more about it
    if guard.kind in by_kind:
        return by_kind[guard.kind]
    if guard.kind == "metadata":
        return _number_type(thing) or "tensor"
    if kinds & {*_KEY_KINDS}:
        return "keys"
    if "length" in kinds or expected_length(guard) is not None:
        return "length"
    if guard.kind == "identity":
        return _of_identity(thing)
    if guard.kind == "type":
        return "mode" if "None" in thing.values else "type"
    return _of_value(thing) if guard.kind == "value" else "other"


def _of_identity(thing: GuardedThing) -> Subject:
    guard, found = thing.guard, thing.first.held
    if found is not None and isinstance(found.value, str) and is_local(found.value):
        return "object"  # a class, whatever its own class is: each call of a function makes one
    is_member = "<enum " in guard.text or (
        found is not None and found.has_value and found.type not in ("function", "type")
    )
    return "mode" if is_member or "NoneType" in guard.text else "object"


def _of_value(thing: GuardedThing) -> Subject:
    if thing.path.attribute == "training":
        return "training"
    if thing.path.is_on_stack or _is_computed(thing):
        return "resumed"
    number = _number_type(thing)
    if number is None:
        is_container = any(
            found.held is not None and found.held.length is not None for found in thing.recompiles
        )
        return "length" if is_container else "mode"
    if thing.path.is_global and all(step.kind == "item" for step in thing.path.steps):
        return "global"
    return "attribute" if _is_module_attribute(thing) else number


def _number_type(thing: GuardedThing) -> Literal["int", "float"] | None:
    """Return the type of its values; None for what is no number."""
    kinds = set(_types_of(thing))
    if kinds & {str, bool, type(None)} or not kinds:
        return None
    return "float" if float in kinds else "int"


def _types_of(thing: GuardedThing) -> Iterator[type]:
    """Yield the type of each of its values that is known."""
    for recompile in thing.recompiles:
        guard = recompile.guard
        # `(1.0 + ((-1)*rate)) == 0.98` tells what was expected of the sum
        told = guard.text.rpartition(" == ")[2] if guard.expected is None else guard.expected
        for value in filter(None, (told, guard.actual if guard.kind == "value" else None)):
            with suppress(ValueError):
                yield type(literal(value))
        found = recompile.held or _argument(recompile)
        if found is not None and found.has_value:
            yield type(found.value)


def _is_module_attribute(thing: GuardedThing) -> bool:
    path = thing.path
    if "nn.Module" in thing.guard.hint or path.is_in_module:
        return True
    # A function's own variables, which attribute accesses reach, are no attributes of a module.
    steps = [step for step in path.steps if step.kind != "cell"]
    if path.scope or not steps or not steps[0].is_name or path.group_entry is not None:
        return False
    return thing.is_of_receiver


def _is_computed(thing: GuardedThing) -> bool:
    """Return whether it is a variable of a function resumed after a break for a tensor's value."""
    found = thing.break_before
    return (
        found is not None
        and not thing.is_given
        and thing.path.is_variable
        and _number_type(thing) is not None
        and _DATA_BREAK.search(f"{found.reason} {found.explanation or ''}") is not None
    )


def _break_before(recompile: RecompileFacts, breaks: tuple[GraphBreak, ...]) -> GraphBreak | None:
    """Find the graph break whose rest of a function was compiled again; None if it is no rest."""
    place = recompile.guard.place
    is_rest = place is not None and place.function.startswith(_RESUME)
    if not is_rest and not _is_on_stack(recompile.guard):
        return None
    location = recompile.compiled.location
    if location is None:
        return None
    line = place.line if place is not None else location.line
    before = [
        found
        for found in breaks
        if found.location is not None
        and found.location.file == location.file
        and found.location.function == location.function
        and found.location.line <= line
    ]
    data = [found for found in before if _DATA_BREAK.search(found.reason)]
    return max(
        data or before, key=lambda found: found.location.line if found.location else 0, default=None
    )


def _argument(recompile: RecompileFacts) -> Held | None:
    """Return the frame's argument that a guard without a source of its own is about."""
    return recompile.compiled.argument(named(recompile.guard))


def _shorter(guard: Guard, text: str | None) -> str | None:
    if text is None or guard.kind != "dispatch_keys":
        return text
    return text.removeprefix("DispatchKeySet")


def _numbers(values: tuple[str, ...]) -> list[float] | None:
    try:
        return [float(value) for value in values]
    except ValueError:
        return None


def _is_read_by_torch(recompile: RecompileFacts) -> bool:
    """Return whether torch's own code is known to ask for what failed in an optimizer's step.

    By the innermost line, as a class of the user's may leave its step to the one it derives from.
    Torch cuts its own folder off the paths in comments, so that these can be of a project's
    folder ``optim``, too: of others than the compiled one the optimizer's class decides.
    """
    compiled, place = recompile.compiled, recompile.guard.place
    code = "" if compiled.code is None else compiled.code.file.replace("\\", "/")
    if recompile.guard_stack:
        file = recompile.guard_stack[-1].file
        return in_torch(file, f"{code.rpartition('/optim/')[0]}/")
    if place is not None and code.endswith(f"/torch/{place.file}"):
        return True
    path = recompile.path
    optimizer = None if path.of_object is None else compiled.argument(path.argument)
    is_of_class = optimizer is not None and optimizer.type.startswith("torch.")
    return is_of_class and (place is None or place.file.startswith("optim/"))


def _is_of_torch(place: TextFrame) -> bool:
    """Return whether a line in a guard's comment may be torch's: its path lacks torch's folder."""
    return is_installed(place.file) or place.file.partition("/")[0] in TRACED_FOLDERS


def _guard_line(recompile: RecompileFacts) -> Frame | None:
    """Return the user's line of a guard: of its stack, else the one that its comment quotes."""
    own = [frame for frame in recompile.guard_stack if not is_installed(frame.file)]
    if own:
        return own[-1]
    place, location = recompile.guard.place, recompile.compiled.location
    if place is not None and (
        (_ABSOLUTE.match(place.file) and not is_installed(place.file))
        # A list of reasons does not name the function: the line is all that is known of it.
        or (location is None and not _is_of_torch(place))
    ):
        return Frame(place.file, place.line, place.function, place.code)
    # Torch cuts the front of paths in comments; the compiled function's file has it.
    if (
        place is None
        or location is None
        or is_installed(location.file)
        or not location.file.endswith(place.file)
    ):
        return None
    return Frame(location.file, place.line, location.function, place.code)
