"""Compares two keys in values that a reader knows, and separates causes from consequences."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_reports.costs.caches.components import (
    AOT,
    DYNAMO,
    FIELDS,
    GRAPH,
    INDUCTOR,
    INPUTS,
    PARAMETER,
    TORCH,
    component,
    split,
)
from ca_reports.costs.caches.inputs import (
    Input,
    has_dynamic_sizes,
    input_of,
    named_inputs,
    renamed,
)
from ca_reports.run.cached import KeyDifference
from ca_reports.torchlib.dynamo import OF_GRAPHS, OF_SIZES
from ca_reports.torchlib.formulas import FACTORS, TAKING_EITHER
from ca_reports.torchlib.inductor import FOLLOWING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.costs.caches.components import Component
    from ca_reports.costs.caches.partners import Asked, Partner
    from ca_reports.run.cached import KeyParts

_FIELD = expression(r"\b(\w{1,64})=((?:[^(),]|\([^()]*\))*)")
_SIZE = expression(r"torch\.Size\((\[.*\])\)")
_DEVICE = expression(r"device\(type='(\w+)'(?:, index=(\d+))?\)")
_NUMBERS = expression(r"\d+")
# ``;  x = y = None`` after the last operation that needs them.
_RELEASED = expression(r";\s{1,4}(?:\w{1,200} = ){1,1000}None$")
# Those that are values, and no part of a name.
_LITERALS = expression(r"(?<![\w.])\d[\d.]*")
# The last entry of AOTAutograd's own settings, where Dynamo's cache is on.
_PACKAGED = expression(r"'(__compiled_fn_\d{1,9}_\w{1,80})'\)$")
# What a tensor's metadata say that follows from its size.
_FORMAT = "memory_format"
_SIGNATURE = "def forward("
# A name, and no number or part of one; one that a line of a graph gives to a value.
_WORD = expression(r"\b[A-Za-z_]\w*")
_ASSIGNED = expression(r"(?m)^([A-Za-z_]\w*) = ")
_DERIVED = frozenset(("stride", "storage_bytes", _FORMAT))


@dataclass(frozen=True, slots=True)
class Differing:
    """One component that two keys do not have in common, as a reader sees it.

    ``before`` and ``after`` are None where a key lacks it, or where nobody can read it. ``line`` is
    that of the graph's code where the operations of the two begin to differ; ``only_arguments``:
    they are the same, but for numbers and for what is said of their arguments. Of an input,
    ``source`` is what it is, and ``fields`` are what it differs in, by their names in `FIELDS`, of
    a graph too where that is less than all of it.
    """

    name: str
    before: str | None
    after: str | None
    line: int | None = None
    only_arguments: bool = False
    source: Input | None = None
    fields: tuple[str, ...] = ()

    @property
    def about(self) -> Component:
        """Return what is known of the component; of an input, of what differs in it first."""
        if not self.fields:
            return component(self.name)
        if self.source is not None and self.source.is_parameter and self.fields[0] == "shape":
            return PARAMETER
        return FIELDS[self.fields[0]]


def described(partner: Partner, after: Asked) -> tuple[Differing, ...]:
    """Return what differs between the key of ``partner`` and that of the later look-up."""
    before = partner.asked
    of_inputs: list[KeyDifference] = []
    others: list[KeyDifference] = []
    for found in partner.differences:
        (of_inputs if split(found.name)[0] == INPUTS else others).append(found)
    parts = before.lookup.parts, after.lookup.parts
    are_dynamic = of_inputs and has_dynamic_sizes(parts[0]) != has_dynamic_sizes(parts[1])
    names = [
        *(OF_SIZES if are_dynamic else ()),
        *(OF_GRAPHS if any(split(found.name)[0] == GRAPH for found in others) else ()),
    ]
    told = (
        *_of_dynamo(names, before, after),
        *(one for found in others for one in _described(found, before, after)),
    )
    of_number = () if are_dynamic else _of_other_number(*parts, after)
    if of_number:
        return (*told, *of_number)
    if are_dynamic:
        of_inputs = _paired(*parts) or of_inputs
        fields: tuple[str, ...] = ("dynamic",)
    elif of_inputs and Counter(_digests(parts[0])) == Counter(_digests(parts[1])):
        return (*told, *(_moved(found.name, *parts) for found in of_inputs))
    else:
        fields = ()
    return (*told, *(_input(found, after, fields) for found in of_inputs))


def _of_dynamo(names: Sequence[str], before: Asked, after: Asked) -> Iterator[Differing]:
    """Yield those of Dynamo's settings called ``names`` that differed at the two compiles."""
    if before.compiled is None or after.compiled is None:
        return
    first, second = before.compiled.settings.of_graphs, after.compiled.settings.of_graphs
    for name in names:
        if name in first and name in second and first[name] != second[name]:
            yield Differing(f"{DYNAMO}[{name}]", first[name], second[name])


def _of_other_number(before: KeyParts, after: KeyParts, asked: Asked) -> tuple[Differing, ...]:
    """Return the inputs that only one of two graphs has, and those of one name that differ.

    None where both have as many, or not all have names.
    """
    first, second = named_inputs(before), named_inputs(after)
    if first is None or second is None or len(first) == len(second):
        return ()
    found = []
    for name in dict.fromkeys((*first, *second)):
        at = first.get(name), second.get(name)
        one, other = (
            None if place is None else parts.get(f"{INPUTS}[{place}]")
            for place, parts in zip(at, (before, after), strict=True)
        )
        if one is not None and other is not None and one.digest == other.digest:
            continue
        place = at[0] if at[1] is None else at[1]
        fields = ("count",) if None in at else ()
        differing = _input(KeyDifference(f"{INPUTS}[{place}]", one, other), asked, fields)
        of = input_of(before if at[1] is None else after, place or 0)
        found.append(replace(differing, source=of))
    return tuple(found)


def _digests(parts: KeyParts) -> Iterator[str]:
    """Give the digest of each input."""
    for name in parts.names():
        if split(name)[0] == INPUTS and (part := parts.get(name)) is not None:
            yield part.digest


def _moved(name: str, before: KeyParts, after: KeyParts) -> Differing:
    """Return which input stands in the place of another one."""
    at = _position(name)
    sources = [None if at is None else input_of(parts, at) for parts in (before, after)]
    first, second = (None if source is None else source.name for source in sources)
    return Differing(name, first, second, source=sources[1], fields=("order",))


def _position(name: str) -> int | None:
    _, entry = split(name)
    return int(entry) if entry is not None and entry.isdecimal() else None


def _paired(before: KeyParts, after: KeyParts) -> list[KeyDifference]:
    """Return the tensors that differ, each with that of the other graph; symbols come between."""
    tensors = [
        [
            (name, part)
            for name in parts.names()
            if split(name)[0] == INPUTS and (part := parts.get(name)) is not None
            if _FIELD.search(part.text)
        ]
        for parts in (before, after)
    ]
    return [
        KeyDifference(name, other, part)
        for (_, other), (name, part) in zip(*tensors, strict=False)
        if other.digest != part.digest
    ]


def _input(found: KeyDifference, after: Asked, fields: tuple[str, ...]) -> Differing:
    texts = [None if part is None else part.text for part in (found.before, found.after)]
    at = _position(found.name)
    source = None if at is None else input_of(after.lookup.parts, at)
    first, second, telling = _tensors(*texts)
    return Differing(found.name, first, second, source=source, fields=fields or telling)


def _described(found: KeyDifference, before: Asked, after: Asked) -> tuple[Differing, ...]:
    """Return what a reader sees of one component; of a tuple, the entries that differ."""
    group, _ = split(found.name)
    texts = [None if part is None else part.text for part in (found.before, found.after)]
    if group == TORCH:
        return (Differing(found.name, _version(before), _version(after)),)
    if group == GRAPH and texts[0] is not None and texts[1] is not None:
        return (_graph(found.name, texts[0], texts[1]),)
    first, second = (text if _is_readable(text) else None for text in texts)
    if group == AOT:
        names = [None if text is None else _PACKAGED.search(text) for text in (first, second)]
        if any(names):
            first, second = (None if name is None else name[1] for name in names)
            return (Differing(found.name, first, second, fields=("package",)),)
        pair = renamed(before.lookup.parts, after.lookup.parts)
        if pair is not None:
            return (Differing(found.name, *pair, fields=("name",)),)
        first = second = None  # nobody reads it
    return _entries(found.name, first, second) or (Differing(found.name, first, second),)


def _entries(name: str, before: str | None, after: str | None) -> tuple[Differing, ...]:
    """Return the entries that two tuples differ in; none if not both are of the known length."""
    names = component(name).values
    first, second = (_values(text) for text in (before, after))
    if not names or len(first) != len(names) or len(second) != len(names):
        return ()
    return tuple(
        Differing(f"{name}[{entry}]", str(one), str(other))
        for entry, one, other in zip(names, first, second, strict=True)
        if one != other
    )


def _values(text: str | None) -> tuple[object, ...]:
    try:
        found = ast.literal_eval(text or "")
    except (SyntaxError, ValueError):
        return ()
    return found if isinstance(found, tuple) else ()


def causes(differing: Sequence[Differing]) -> tuple[Differing, ...]:
    """Return what the rest of ``differing`` follows from.

    Settings always count. Another graph has other inputs; other sizes make another graph that
    differs in numbers alone, and dynamic ones another graph of the same function, as autocast and
    its like do.
    """
    by_family = {
        family: [found for found in differing if found.about.family == family]
        for family in ("setting", "inputs", "graph", "derived")
    }
    settings, inputs, graph = (by_family[name] for name in ("setting", "inputs", "graph"))
    names = {found.name for found in settings}
    settings = [found for found in settings if _leader(found.name) not in names]
    if any(found.about.changes_graph for found in settings):
        return tuple(settings)
    is_dynamic = any("dynamic" in found.fields for found in inputs)
    if inputs and (is_dynamic or all(found.only_arguments for found in graph)):
        return (*settings, *inputs)
    rest = graph or inputs or (() if settings else by_family["derived"])
    return (*settings, *rest)


def _leader(name: str) -> str | None:
    """Return the component that inductor patches another of its settings by; None for none."""
    group, entry = split(name)
    leader = FOLLOWING.get(entry or "") if group == INDUCTOR else None
    return None if leader is None else f"{INDUCTOR}[{leader}]"


def _version(asked: Asked) -> str | None:
    return asked.process.versions.get("torch")


def _is_readable(text: str | None) -> bool:
    """Return whether a value is text: what was pickled is not."""
    return text is not None and "\N{REPLACEMENT CHARACTER}" not in text


def _graph(name: str, before: str, after: str) -> Differing:
    """Return the first line in which two graphs differ, of their operations if those do.

    Names are numbered through: one operation more gives all that come after it other names, and
    arguments of a graph are what its operations need, and where a value is let go follows from
    them.
    """
    lines, others = (
        [_RELEASED.sub("", line.strip()) for line in text.split("\n")] for text in (before, after)
    )
    # Before its operations a graph lists the graphs that it holds.
    begins = [_first_signature(own) for own in (lines, others)]
    if None not in begins:
        lines, others = lines[begins[0] :], others[begins[1] :]
    above = begins[1] or 0
    plain = [[_NUMBERS.sub("", line) for line in own] for own in (lines, others)]
    is_same = plain[0] == plain[1]
    number = _parting(plain[0], plain[1], besides=_SIGNATURE)
    has_same_operations = number is None
    if number is None:
        number = _parting(lines, others)
    if number is None:
        return Differing(name, None, None)
    first, second = (own[number] if number < len(own) else None for own in (lines, others))
    if (names := _renaming(lines, others)) is not None:
        return Differing(name, *names, line=above + number + 1, fields=("renamed",))
    is_reordered = not is_same and Counter(plain[0]) == Counter(plain[1])
    is_number = _LITERALS.sub("#", before) == _LITERALS.sub("#", after)
    return Differing(
        name,
        first,
        second,
        line=above + number + 1,
        only_arguments=has_same_operations,
        fields=("order",)
        if is_reordered
        else (_kind_of_number(first, second),)
        if is_number
        else (),
    )


def _first_signature(lines: Sequence[str]) -> int | None:
    return next((at for at, line in enumerate(lines) if line.startswith(_SIGNATURE)), None)


def _renaming(lines: Sequence[str], others: Sequence[str]) -> tuple[str, str] | None:
    """Return the first two names of one value, where names alone make two graphs differ."""
    if len(lines) != len(others):
        return None
    given: dict[str, str] = {}
    taken: dict[str, str] = {}
    own = [set(_ASSIGNED.findall("\n".join(text))) for text in (lines, others)]
    for line, other in zip(lines, others, strict=True):
        if line.startswith(_SIGNATURE):
            continue
        if _WORD.sub("", line) != _WORD.sub("", other):
            return None
        for word, now in zip(_WORD.findall(line), _WORD.findall(other), strict=True):
            is_value = word in own[0] and now in own[1]
            if not is_value and word != now:
                return None
            if given.setdefault(word, now) != now or taken.setdefault(now, word) != word:
                return None
    return next(((word, now) for word, now in given.items() if word != now), None)


def _kind_of_number(before: str | None, after: str | None) -> str:
    """Return what kind of number two lines of a graph differ in.

    ``factor`` of what an operation adds, which is to be a number; ``number`` of an operation that
    would take a tensor for it, or of a formula; ``argument`` of any other.
    """
    first, second = _call(before), _call(after)
    if second is None:
        return "number"
    # An operator of ATen has its overload as the last of its names.
    names = ast.unparse(second.func).split(".")
    given = set() if first is None else _words(first) ^ _words(second)
    factors = {factor for name in names for factor in FACTORS.get(name.removesuffix("_"), ())}
    if given and all(word in factors for word, _ in given):
        return "factor"
    return "argument" if TAKING_EITHER.isdisjoint(names) else "number"


def _call(line: str | None) -> ast.Call | None:
    """Return the call that a line of a graph assigns; None if it is none."""
    try:
        (statement,) = ast.parse((line or "").partition(";")[0]).body
    except (SyntaxError, ValueError):
        return None
    value = getattr(statement, "value", None)
    return value if isinstance(value, ast.Call) else None


def _words(call: ast.Call) -> set[tuple[str | None, str]]:
    """Return the arguments of a call as they are written, those by place under no name."""
    named = {(word.arg, ast.unparse(word.value)) for word in call.keywords}
    return named | {(None, ast.unparse(argument)) for argument in call.args}


def _parting(lines: Sequence[str], others: Sequence[str], besides: str = "\n") -> int | None:
    """Return the index of the first line that differs, None if all are the same.

    Lines that both begin with ``besides`` do not count.
    """
    for index, pair in enumerate(zip_longest(lines, others)):
        if pair[0] != pair[1] and not all(line and line.startswith(besides) for line in pair):
            return index
    return None


def _tensors(
    before: str | None, after: str | None
) -> tuple[str | None, str | None, tuple[str, ...]]:
    """Return what differs between two inputs, in short, and by which fields.

    ``size [6, 4]``, ``float32``.
    """
    first, second = (dict(_FIELD.findall(text or "")) for text in (before, after))
    if not first or not second:
        shown = [
            _short(known, ("shape", "dtype")) if known else text
            for known, text in zip((first, second), (before, after), strict=True)
        ]
        return shown[0], shown[1], ()
    names = [name for name in second if first.get(name) != second[name]]
    telling = [name for name in names if name not in _DERIVED] or names
    if "stride" in telling and _FORMAT in telling:
        # The format says all, where both have one.
        has_both = "None" not in (first.get(_FORMAT), second[_FORMAT])
        telling.remove("stride" if has_both else _FORMAT)
    fields = tuple(
        field for field in FIELDS if field in telling or (field == "stride" and _FORMAT in telling)
    )
    return _short(first, telling), _short(second, telling), fields


def _short(fields: dict[str, str], names: Sequence[str]) -> str:
    said = []
    for name in names:
        value = fields.get(name, "?").removeprefix("torch.")
        if size := _SIZE.fullmatch(fields.get(name, "")):
            said.append(f"size {size[1]}")
        elif device := _DEVICE.fullmatch(value):
            said.append(device[1] if device[2] is None else f"{device[1]}:{device[2]}")
        elif name in ("dtype", _FORMAT):
            said.append(value)
        else:
            said.append(f"{name} {value}")
    return ", ".join(said)
