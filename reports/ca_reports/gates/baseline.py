"""Findings that are known: what ``ca-baseline.json`` holds, and how findings are recognised.

A finding is recognised by its code, its function and its message without the numbers, ids and
folders in it. So it stays the same when lines move, files are renamed, or another machine
takes another time.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import orjson

from ca_reports.errors import CaError
from ca_reports.text.clean import json_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from ca_reports.findings import Finding
    from ca_reports.places import Places

FILE_NAME = "ca-baseline.json"
SCHEMA_VERSION = 1
_GENERATOR = "ca baseline"
_MOST_ALIKE = 10_000

Key = tuple[str, str, str]

_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
# At least two folders deep, so that `3/0` and `and/or` are not taken for paths.
_PART = r"[^\s\\/'\"`:,;()]+"
_PATH = re.compile(rf"(?<![\w./\\-])(?:[A-Za-z]:)?[\\/](?:{_PART}[\\/])+({_PART})")
_UNIT = re.compile(r"(?:< )?(?<![\w.])\d[\d,.]*(?:e[+-]?\d+)? ?(?:ms|s|µs|us)\b")
# Digits after a letter belong to a name (`AddmmBackward0`, `fc1`).
_ID = re.compile(r"!?(?<![A-Za-z_\d])\d+(?:/\d+)+|!\d+")
_NUMBER = re.compile(r"(?<![A-Za-z_\d])-?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?")
_LIST = re.compile(r"#(?:(?:, | and | → )#(?! more\b))*(?: and # more\b| → …)?")
# How rules say "one" where they would otherwise give a number: a longer run has more of it.
_ONE = {
    "a graph break": "# graph break",
    "a new backward": "# new backward",
    "this backward": "# backward here",
    "once": "# time",
    "# time again": "again",
}
_ONES = re.compile(rf"(?<![\w#])(?:{'|'.join(_ONE)})\b")
_PLURAL = re.compile(r"# ((?:graph |new )?)(\w{3,}?)s\b")


class BaselineError(CaError):
    """A baseline that cannot be read, or is none."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A known finding; ``times`` is how many are alike. ``message`` is normalised."""

    code: str
    name: str
    file: str
    function: str
    message: str
    times: int = 1

    @property
    def key(self) -> Key:
        """What it is recognised by."""
        return (self.code, self.function, self.message)


class Recognised(Protocol):
    """What ``match`` pairs: anything with a key and a place."""

    @property
    def key(self) -> Key: ...
    @property
    def file(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Identity:
    """A finding of a run with what it is recognised by; ``line`` is 0 if it has no place."""

    finding: Finding
    key: Key
    file: str
    line: int
    text: str

    @property
    def fingerprint(self) -> str:
        """32 hexadecimal digits, the same for the same key on every machine."""
        return hashlib.sha256("\0".join(self.key).encode("utf-8", "replace")).hexdigest()[:32]


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


def normalise(message: str) -> str:
    """A message with ``#`` for every number, id and address, and paths by their last part.

    ``the batch shrank from 8 to 3 at step 9`` → ``the batch shrank from # to # at step #``.
    """
    text = _ADDRESS.sub("#", message)
    text = _PATH.sub(r"\1", text)
    text = _UNIT.sub("# s", text)
    text = _ID.sub("#", text)
    text = _NUMBER.sub("#", text)
    text = _LIST.sub("#", text)
    text = _PLURAL.sub(r"# \1\2", text)
    text = _ONES.sub(lambda found: _ONE[found[0]], text)
    return " ".join(text.split())


def match(known: Sequence[Known], found: Sequence[Found]) -> Matching[Known, Found]:
    """Pair what has one key: first where line or source text is the same, then the file.

    Of several alike, as many are known as there were; the others are new.
    """
    left = list(range(len(known)))
    right = list(range(len(found)))
    partner: dict[int, int] = {}
    for place in (_line_of, _text_of, _file_of, _nowhere):
        waiting: dict[tuple[Key, object], list[int]] = {}
        for index in left:
            where = place(known[index])
            if where is not None:
                waiting.setdefault((known[index].key, where), []).append(index)
        for index in right:
            candidates = waiting.get((found[index].key, place(found[index])))
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
    """What to write for these findings: sorted, those alike in one file put together."""
    counted = Counter(
        (one.finding.code, one.file, one.key[1], one.key[2], one.finding.name) for one in found
    )
    return tuple(
        Entry(code, name, file, function, message, times)
        for (code, file, function, message, name), times in sorted(counted.items())
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
        "message": entry.message,
        "times": entry.times,
    }


def is_baseline(path: Path) -> bool:
    """Whether ``path`` is a file that ``ca baseline`` wrote, readable or not."""
    try:
        with path.open("rb") as file:
            beginning = file.read(200)
    except OSError:
        return False
    return f'"{_GENERATOR}"'.encode() in beginning


def read(path: Path) -> tuple[Entry, ...]:
    """The entries of a baseline. Raises ``BaselineError``."""
    try:
        document = orjson.loads(path.read_bytes())
    except OSError as error:
        hint = ": `ca baseline` writes one" if isinstance(error, FileNotFoundError) else ""
        raise BaselineError(f"{path}: {error.strerror}{hint}") from None
    except ValueError as error:
        raise BaselineError(f"{path} is not JSON: {error}") from None
    if not isinstance(document, dict) or document.get("generator") != _GENERATOR:
        raise BaselineError(f"{path} is no baseline: `ca baseline RUN -o FILE` writes one")
    version = document.get("schema_version")
    if version != SCHEMA_VERSION:
        raise BaselineError(
            f"{path} has schema_version {version!r}, and this ca reads {SCHEMA_VERSION}: "
            "write it anew with `ca baseline --update`"
        )
    rows = document.get("findings")
    if not isinstance(rows, list):
        raise BaselineError(f"{path}: findings must be a list")
    return tuple(_entry(row, index, path) for index, row in enumerate(rows))


def _entry(row: object, index: int, path: Path) -> Entry:
    fields: dict[str, Any] = row if isinstance(row, dict) else {}
    texts = [fields.get(name) for name in ("code", "name", "file", "function", "message")]
    times = fields.get("times", 1)
    whole = isinstance(times, int) and not isinstance(times, bool) and 0 < times <= _MOST_ALIKE
    if not whole or not all(isinstance(text, str) for text in texts):
        raise BaselineError(
            f"{path}: finding {index + 1} is damaged: code, name, file, function and message "
            "must be texts, times a number"
        )
    code, name, file, function, message = (str(text) for text in texts)
    return Entry(code, name, file, function, message, times)


def _identity(found: Finding, places: Places) -> Identity:
    frame = found.location
    function = frame.function if frame is not None else ""
    return Identity(
        finding=found,
        key=(found.code, function, normalise(found.message)),
        file=places.relative(frame.file) if frame is not None else "",
        line=frame.line if frame is not None else 0,
        text=frame.code if frame is not None else "",
    )


def _line_of(one: Recognised) -> object:
    return (one.file, one.line) if isinstance(one, Identity) else None


def _text_of(one: Recognised) -> object:
    return (one.file, one.text) if isinstance(one, Identity) and one.text else None


def _file_of(one: Recognised) -> object:
    return one.file


def _nowhere(one: Recognised) -> object:
    return ""
