"""Typed access to decoded JSON that anyone may have written: a wrong type reads as absent."""

from __future__ import annotations

import math
import sys
from dataclasses import field, fields
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import orjson

from ca_engine.redaction import redact_arguments, redact_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from _typeshed import DataclassInstance

T = TypeVar("T")
_READER = "reader"
_NO_ENTRIES: Mapping[Any, Any] = {}

# What one field of a log may carry into the model. Longer texts are cut: a reason of a
# megabyte helps nobody and would be multiplied by every output.
MAX_TEXT = 20_000
MOST_SHARED = 256
# Values of one reader by their JSON, and the longest that are looked up.
_KNOWN = 2_048
_LONGEST_KNOWN = 2_048
MAX_ITEMS = 1_000
MAX_NAMED = 1_000
MAX_DEPTH = 8

# C++ keeps the ids in 64 bits at most; anything above is damage.
_MAX_INT = 2**63
_SHORT = frozenset((int, float, bool, type(None)))
# Seconds: what `datetime` can say in every time zone, and longer than any job.
_LAST_MOMENT = 250_000_000_000.0
_LONGEST = 1_000_000_000.0
_MOMENTS = ("time", "start_time", "start", "end")
_DURATIONS = ("entire_frame_compile_time_s", "backend_compile_time_s")


def no_entries() -> Mapping[Any, Any]:
    """Return the empty mapping of everything that has none: an object each would be 64 bytes."""
    return _NO_ENTRIES


def read_by(reader: Callable[[object], T]) -> T:
    """Declare a field that `read_fields` reads with ``reader``; None stands for absent."""
    return field(default_factory=lambda: reader(None), metadata={_READER: reader})


def read_fields(kind: type[DataclassInstance], raw: Mapping[str, Any]) -> dict[str, Any]:
    """Read the fields that ``read_by`` declares in the dataclass ``kind`` from ``raw``."""
    return {name: read(raw.get(name)) for name, read in _readers(kind)}


@cache
def _readers(kind: type[DataclassInstance]) -> tuple[tuple[str, Callable[[object], Any]], ...]:
    return tuple(
        (each.name, each.metadata[_READER]) for each in fields(kind) if _READER in each.metadata
    )


def shared(reader: Callable[[object], T]) -> Callable[[object], T]:
    """Return ``reader`` that gives one object for all equal JSON: many records say the same.

    By its JSON, since 1, 1.0 and true are equal. For who changes none of what is read.
    """
    known: dict[bytes, T] = {}

    def read(value: object) -> T:
        try:
            key = orjson.dumps(value)
        except orjson.JSONEncodeError:  # deeper than it encodes
            return reader(value)
        if key in known:
            return known[key]
        found = reader(value)
        if len(key) <= _LONGEST_KNOWN:
            if len(known) >= _KNOWN:
                known.clear()
            # A copy, because what orjson returns keeps a buffer of 4 KB.
            known[bytes(memoryview(key))] = found
        return found

    return read


def integer(value: object) -> int | None:
    """Return ``value`` if it is a whole, non-negative 64-bit number (True and False are not)."""
    if type(value) is int and 0 <= value < _MAX_INT:
        return value
    return None


def number(value: object) -> float | None:
    """Return ``value`` as a finite float, if it is a number."""
    if type(value) in (int, float):
        result = float(value)  # type: ignore[arg-type]
        return result if math.isfinite(result) else None
    return None


def moment(value: object) -> float | None:
    """Return ``value`` as seconds since the epoch, if a calendar has such a day."""
    found = number(value)
    return found if found is not None and 0 <= found <= _LAST_MOMENT else None


def duration(value: object) -> float | None:
    """Return ``value`` as seconds that something took, if it can have taken so long."""
    found = number(value)
    return found if found is not None and 0 <= found <= _LONGEST else None


def impossible_times(raw: dict[str, Any]) -> list[str]:
    """Return names of the times in a record that are none: before 1970, a thousand years long."""
    seconds = mapping(raw.get("seconds"))
    return [
        *(key for key in _MOMENTS if _is_number(raw.get(key)) and moment(raw[key]) is None),
        *(key for key in _DURATIONS if _is_number(raw.get(key)) and duration(raw[key]) is None),
        *(
            f"seconds.{key}"
            for key, value in seconds.items()
            if _is_number(value) and duration(value) is None
        ),
    ]


def _is_number(value: object) -> bool:
    return type(value) in (int, float)


def truth(value: object) -> bool | None:
    """Return ``value`` if it is True or False."""
    return value if isinstance(value, bool) else None


def text(value: object) -> str | None:
    """Return ``value`` if it is a string, cut at ``MAX_TEXT`` characters.

    Captures and compiles say the same names, lines and reasons again and again: a short text is
    kept once.
    """
    if type(value) is str:
        if len(value) <= MOST_SHARED:
            return sys.intern(value)
        return _cut(value)
    return None


def _cut(value: str) -> str:
    return value if len(value) <= MAX_TEXT else value[:MAX_TEXT] + "…"


def uncut(text: str) -> str:
    """Return ``text`` as far as it was kept, without the sign that it goes on."""
    return text.removesuffix("…")


def mapping(value: object) -> dict[str, Any]:
    """Return ``value`` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """Return ``value`` if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def texts(value: object) -> tuple[str, ...]:
    """Return the strings of a list."""
    return tuple(found for entry in items(value) if (found := text(entry)) is not None)


def arguments(value: object) -> tuple[str, ...]:
    """Return a command line. One recorded before secrets were left out has none of them, either."""
    return tuple(redact_arguments(texts(value)))


def message(value: object) -> str | None:
    """Return a text that may quote arguments, without what names itself a secret."""
    found = text(value)
    return None if found is None else redact_text(found)


def integers(value: object) -> tuple[int, ...]:
    """Return the whole numbers of a list."""
    return tuple(found for entry in items(value) if (found := integer(entry)) is not None)


@shared
def sizes_by_name(value: object) -> Mapping[str, tuple[int, ...]]:
    """List of sizes by the variable that held a tensor of them; some hundreds at most."""
    return {name: integers(sizes) for name, sizes in _named(value)}


def versions(value: object) -> dict[str, str]:
    """Return an object of strings; everything else in it is left out."""
    return {name: found for name, raw in _named(value) if (found := text(raw)) is not None}


@shared
def counts(value: object) -> Mapping[str, int]:
    """Return a dictionary of whole numbers; anything else in it is left out."""
    return {name: found for name, raw in _named(value) if (found := integer(raw)) is not None}


def _named(value: object) -> Iterator[tuple[str, Any]]:
    """Give the entries of an object, some hundreds at most, with names of a bounded length."""
    for key, entry in islice(mapping(value).items(), MAX_NAMED):
        yield _cut(key), entry


def plain(value: object, depth: int = MAX_DEPTH) -> Any:
    """Return a JSON value as it is, without what lies deeper or further than anyone reads.

    orjson decodes a thousand levels but encodes 254, so depth is also a matter of safety.
    """
    if isinstance(value, str):
        return text(value)
    # Most entries are numbers: without a call for each it takes half of the time.
    if isinstance(value, list):
        if not depth:
            return "…"
        few = value[:MAX_ITEMS]
        return [one if type(one) in _SHORT else plain(one, depth - 1) for one in few]
    if isinstance(value, dict):
        if not depth:
            return "…"
        some = list(value.items())[:MAX_ITEMS]
        return {
            (key if len(key) <= MOST_SHARED else _cut(key)): (
                one if type(one) in _SHORT else plain(one, depth - 1)
            )
            for key, one in some
        }
    return value
