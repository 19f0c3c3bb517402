"""Applies unified diffs as they stand in golden files, and puts several changes together."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)
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

    Raises ValueError if its lines are not there.
    """
    lines = {name: _lines(text) for name, text in texts.items()}
    moved = dict.fromkeys(texts, 0)
    for hunk in _hunks(diff):
        own = lines[hunk.file]
        at = hunk.start + moved[hunk.file]
        if own[at : at + len(hunk.old)] != hunk.old:
            raise ValueError(f"{hunk.file}: the lines of the diff are not there")
        own[at : at + len(hunk.old)] = hunk.new
        moved[hunk.file] += len(hunk.new) - len(hunk.old)
    return {name: "".join(found) for name, found in lines.items()}


def merge(texts: Mapping[str, str], versions: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Return ``texts`` with what each of ``versions`` changes of them, word by word.

    Raises ValueError if two change the same words.
    """
    merged = {}
    for name, text in texts.items():
        # Two insertions at one place come in the order of the versions; the same one comes once.
        changes = sorted(
            dict.fromkeys(one for own in versions for one in _changes(text, own[name])),
            key=lambda change: change[:2],
        )
        parts, at = [], 0
        for start, end, new in changes:
            if start < at:
                raise ValueError(f"{name}: two change {text[start:at]!r}")
            parts += [text[at:start], new]
            at = end
        merged[name] = "".join([*parts, text[at:]])
    return merged


def _changes(before: str, after: str) -> Iterator[tuple[int, int, str]]:
    """Yield start and end of the words that differ, and what they become."""
    old, new = _lines(before), _lines(after)
    places = [0, *accumulate(map(len, old))]
    for first, last, begin, end in _differing(old, new):
        words, others = (_WORD.findall("".join(part)) for part in (old[first:last], new[begin:end]))
        ends = [places[first] + length for length in accumulate(map(len, words), initial=0)]
        for start, stop, other, until in _differing(words, others):
            yield ends[start], ends[stop], "".join(others[other:until])


def _differing(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, *places in matcher.get_opcodes():
        if tag != "equal":
            begin, end, other, until = places
            yield begin, end, other, until


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
