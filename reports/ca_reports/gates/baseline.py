"""Findings that are known: what ``ca-baseline.json`` holds."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import orjson

from ca_engine.lazy_classes import dataclass
from ca_reports.errors import CaError
from ca_reports.logs.regular import read_regular
from ca_reports.words.clean import json_text
from ca_reports.words.numbers import memory

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from ca_reports.diagnosis.identities import Identity


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
        """Return ``CA206 scalar-baked: PowBackward0 exponent``."""
        return f"{self.code} {self.name}" + (f": {self.key}" if self.key else "")


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
    """Return each entry as often as it says."""
    return tuple(entry for entry in known for _ in range(entry.times))


def render(known: Sequence[Entry]) -> str:
    """Return the file: sorted, one finding an object, nothing that differs between machines."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "generator": _GENERATOR,
        "findings": [as_json(entry) for entry in known],
    }
    return json_text(document)


def as_json(entry: Entry) -> dict[str, Any]:
    """Return an entry as the object of the file."""
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
    """Return the entries of a baseline. Raises ``BaselineError``."""
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
