"""Findings that are known: what ``ca-baseline.json`` holds, and how findings are recognised.

A finding is recognised by its code, its function and the key that its rule gives it. So it stays
the same when lines move, files are renamed, a message is worded otherwise, or another machine
takes another time.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import orjson

from ca_reports.errors import CaError
from ca_reports.read.regular import read_regular
from ca_reports.text.clean import json_text
from ca_reports.text.numbers import memory

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from ca_reports.findings import Finding
    from ca_reports.places import Places

FILE_NAME = "ca-baseline.json"
SCHEMA_VERSION = 2
# Its findings had no key but a message, stripped of numbers.
_WITHOUT_KEYS = 1
_GENERATOR = "ca baseline"
_MOST_ALIKE = 10_000
_MAX_BYTES = 64 << 20


class BaselineError(CaError):
    """A baseline that cannot be read, or is none."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A known finding; ``times`` is how many are alike.

    ``key`` is None in a baseline that an older ca wrote: any of that code and function is it.
    """

    code: str
    name: str
    file: str
    function: str
    key: str | None
    times: int = 1

    @property
    def title(self) -> str:
        """``CA206 scalar-baked: PowBackward0 exponent``."""
        return f"{self.code} {self.name}" + (f": {self.key}" if self.key else "")


class Recognised(Protocol):
    """Finding as ``match`` pairs it: what it is recognised by, and its file."""

    @property
    def code(self) -> str: ...
    @property
    def function(self) -> str: ...
    @property
    def key(self) -> str | None: ...
    @property
    def file(self) -> str: ...
    @property
    def title(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Identity:
    """A finding of a run with what it is recognised by; ``line`` is 0 if it has no place."""

    finding: Finding
    function: str
    file: str
    line: int
    text: str

    @property
    def code(self) -> str:
        """The rule's."""
        return self.finding.code

    @property
    def key(self) -> str:
        """The rule's word for it."""
        return self.finding.key

    @property
    def title(self) -> str:
        """``CA206 PowBackward0 exponent 2 → 3``."""
        return f"{self.code} {self.finding.message}"

    @property
    def fingerprint(self) -> str:
        """32 hexadecimal digits, the same for the same finding on every machine."""
        identity = "\0".join((self.code, self.function, self.key))
        return hashlib.sha256(identity.encode("utf-8", "replace")).hexdigest()[:32]


Known = TypeVar("Known", bound=Recognised)
Found = TypeVar("Found", bound=Recognised)


@dataclass(frozen=True, slots=True)
class Matching(Generic[Known, Found]):
    """``pairs`` of known and found, and what is only on one side, in the given order."""

    pairs: tuple[tuple[Known, Found], ...]
    gone: tuple[Known, ...]
    new: tuple[Found, ...]


def identify(findings: Iterable[Finding], places: Places) -> tuple[Identity, ...]:
    """The findings with their keys, in the same order."""
    return tuple(_identity(found, places) for found in findings)


def match(known: Sequence[Known], found: Sequence[Found]) -> Matching[Known, Found]:
    """Pair what has one key: first where line or source text is the same, then the file.

    What is left is paired by the function in which it was noticed: a better line, in another
    function, makes no other finding. Of several alike, as many are known as there were; the
    others are new.
    """
    keyed = all(one.key is not None for one in (*known, *found))

    def cause(one: Recognised) -> tuple[str | None, ...]:
        return (one.code, one.key if keyed else None)

    def identity(one: Recognised) -> tuple[str | None, ...]:
        return (*cause(one), one.function)

    left = list(range(len(known)))
    right = list(range(len(found)))
    partner: dict[int, int] = {}
    for recognised, place in (
        (identity, _line_of),
        (identity, _text_of),
        (identity, _file_of),
        (identity, _nowhere),
        (cause, _noticed_in),
    ):
        waiting: dict[tuple[object, object], list[int]] = {}
        for index in left:
            where = place(known[index])
            if where is not None:
                waiting.setdefault((recognised(known[index]), where), []).append(index)
        for index in right:
            candidates = waiting.get((recognised(found[index]), place(found[index])))
            if candidates:
                partner[index] = candidates.pop(0)
        taken = set(partner.values())
        left = [index for index in left if index not in taken]
        right = [index for index in right if index not in partner]
    pairs = tuple((known[partner[index]], found[index]) for index in sorted(partner))
    return Matching(
        pairs,
        tuple(known[index] for index in left),
        tuple(found[index] for index in right),
    )


def entries(found: Iterable[Identity]) -> tuple[Entry, ...]:
    """Return the entries for these findings: sorted, those alike in one file put together."""
    counted = Counter(
        (one.code, one.file, one.function, one.key, one.finding.name) for one in found
    )
    return tuple(
        Entry(code, name, file, function, key, times)
        for (code, file, function, key, name), times in sorted(counted.items())
    )


def single(known: Iterable[Entry]) -> tuple[Entry, ...]:
    """Each entry as often as it says."""
    return tuple(entry for entry in known for _ in range(entry.times))


def render(known: Sequence[Entry]) -> str:
    """The file: sorted, one finding an object, nothing that differs between machines."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "generator": _GENERATOR,
        "findings": [as_json(entry) for entry in known],
    }
    return json_text(document)


def as_json(entry: Entry) -> dict[str, Any]:
    """An entry as the object of the file."""
    return {
        "code": entry.code,
        "name": entry.name,
        "file": entry.file,
        "function": entry.function,
        "key": entry.key,
        "times": entry.times,
    }


def is_baseline(path: Path) -> bool:
    """Return whether ``path`` is a file that ``ca baseline`` wrote, readable or not."""
    try:
        beginning = read_regular(path, 200)
    except OSError:
        return False
    return f'"{_GENERATOR}"'.encode() in beginning


def read(path: Path) -> tuple[Entry, ...]:
    """The entries of a baseline. Raises ``BaselineError``."""
    try:
        data = read_regular(path, _MAX_BYTES + 1, pipe=True)
        if len(data) > _MAX_BYTES:
            raise BaselineError(f"{path} has more than {memory(_MAX_BYTES)}, as no baseline has")
        document = orjson.loads(data)
    except OSError as error:
        hint = ": `ca baseline` writes one" if isinstance(error, FileNotFoundError) else ""
        raise BaselineError(f"{path}: {error.strerror}{hint}") from None
    except ValueError as error:
        raise BaselineError(f"{path} is not JSON: {error}") from None
    if not isinstance(document, dict) or document.get("generator") != _GENERATOR:
        raise BaselineError(f"{path} is not a ca baseline: `ca baseline RUN -o FILE` writes one")
    version = document.get("schema_version")
    if version not in (SCHEMA_VERSION, _WITHOUT_KEYS):
        raise BaselineError(
            f"{path} has schema_version {version!r}, and this ca reads {SCHEMA_VERSION}: "
            "renew it with `ca baseline --update`"
        )
    rows = document.get("findings")
    if not isinstance(rows, list):
        raise BaselineError(f"{path}: findings must be a list")
    return tuple(
        _entry(row, index, path, keyed=version == SCHEMA_VERSION) for index, row in enumerate(rows)
    )


def _entry(row: object, index: int, path: Path, *, keyed: bool) -> Entry:
    fields: dict[str, Any] = row if isinstance(row, dict) else {}
    names = ("code", "name", "file", "function", "key" if keyed else "message")
    texts = [fields.get(name) for name in names]
    times = fields.get("times", 1)
    whole = isinstance(times, int) and not isinstance(times, bool) and 0 < times <= _MOST_ALIKE
    if not whole or not all(isinstance(text, str) for text in texts):
        raise BaselineError(
            f"{path}: finding {index + 1} is damaged: {', '.join(names[:-1])} and {names[-1]} "
            "must be texts, times a number"
        )
    code, name, file, function, key = (str(text) for text in texts)
    return Entry(code, name, file, function, key if keyed else None, times)


def _identity(found: Finding, places: Places) -> Identity:
    frame = found.location
    return Identity(
        finding=found,
        function=frame.function if frame is not None else "",
        file=places.relative(frame.file) if frame is not None else "",
        line=frame.line if frame is not None else 0,
        text=frame.code if frame is not None else "",
    )


def rewrite_note(known: Iterable[Recognised], path: str) -> str | None:
    """Warn of a baseline that an older ca wrote; None for one with keys."""
    if all(one.key is not None for one in known):
        return None
    return (
        f"{path} was written by an older ca, and matches by code and function only: renew it with "
        "`ca baseline --update`"
    )


def _line_of(one: Recognised) -> object:
    return (one.file, one.line) if isinstance(one, Identity) else None


def _text_of(one: Recognised) -> object:
    return (one.file, one.text) if isinstance(one, Identity) and one.text else None


def _noticed_in(one: Recognised) -> object:
    """Return the function in which a finding showed; an entry of a baseline has no other."""
    noticed = one.finding.noticed_at if isinstance(one, Identity) else None
    return noticed.function if noticed is not None else one.function


def _file_of(one: Recognised) -> object:
    return one.file


def _nowhere(one: Recognised) -> object:
    return ""
