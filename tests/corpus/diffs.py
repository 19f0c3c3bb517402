"""Applies unified diffs as they stand in golden files, also one upon another."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NO_NEWLINE = "\\ No newline at end of file"


@dataclass
class _Hunk:
    """Lines of a file from ``start``, counted from 0, and what they become."""

    file: str
    start: int
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)


def apply(texts: Mapping[str, str], diff: Iterable[str]) -> dict[str, str]:
    """Return all of ``texts`` with ``diff`` applied, as `git apply` would.

    A hunk whose lines were moved by another diff is applied where they are now, the nearest place.
    Raises ValueError if they are nowhere.
    """
    lines = {name: _lines(text) for name, text in texts.items()}
    moved = dict.fromkeys(texts, 0)
    for hunk in _hunks(diff):
        own = lines[hunk.file]
        places = [
            at
            for at in range(len(own) - len(hunk.old) + 1)
            if own[at : at + len(hunk.old)] == hunk.old
        ]
        if not places:
            raise ValueError(f"{hunk.file}: the lines of the diff are not there")
        expected = hunk.start + moved[hunk.file]
        at = min(places, key=lambda place: abs(place - expected))
        own[at : at + len(hunk.old)] = hunk.new
        moved[hunk.file] += len(hunk.new) - len(hunk.old)
    return {name: "".join(found) for name, found in lines.items()}


def _lines(text: str) -> list[str]:
    # `str.splitlines` would also split at form feeds and other characters within a line.
    return [line for line in re.split(r"(?<=\n)", text) if line]


def _hunks(diff: Iterable[str]) -> Iterator[_Hunk]:
    file, hunk, left = "", None, [0, 0]
    changed: list[list[str]] = []
    for line in diff:
        if line == _NO_NEWLINE:
            for side in changed:
                side[-1] = side[-1].removesuffix("\n")
            continue
        if not any(left):
            if hunk is not None:
                yield hunk
                hunk = None
            if line.startswith("+++ b/"):
                file = line.removeprefix("+++ b/")
            elif head := _HUNK.match(line):
                start, old, _, new = (1 if text is None else int(text) for text in head.groups())
                # Of a hunk without old lines the number is that of the line before.
                hunk, left = _Hunk(file, start - 1 if old else start), [old, new]
            continue
        assert hunk is not None
        mark, text = line[:1], line[1:]
        changed = []
        for number, (side, marks) in enumerate(((hunk.old, " -"), (hunk.new, " +"))):
            if mark in marks:
                side.append(f"{text}\n")
                changed.append(side)
                left[number] -= 1
    if hunk is not None:
        yield hunk
