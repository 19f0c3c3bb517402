"""Data for the page, small: columns, numbers as differences, gzip, base64.

Fifty captures of one model differ in a few nodes of thousands. A block is therefore
written as what it shares with an earlier one: ``delta`` finds runs of equal lines, and
``renumbered`` makes lines equal whose names only count on (``getitem_81``, ``getitem_82``).
``web/src/unpack.ts`` undoes each of these.
"""

from __future__ import annotations

import base64
import gzip
import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Any

import orjson

from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_reports.run.model import Frame
from ca_reports.sentences.places import shown_place
from ca_reports.words.clean import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ca_reports.facts.graphs.document import DrawnNode, Picture

ROLES = ("autograd", "aot", "accumulate", "hook", "call", "operator", "output")
STATUSES = ("same", "changed", "added", "removed")
# Stands between a name and a step, so that no text of a log can be taken for one.
_MARK = "¦"
# From the beginning of a word only: tried at each of its letters it would take seconds.
_NUMBER = expression(
    r"(?:(\\n|\")|\b|(?=\())([A-Za-z_]\w*?_|inputs\[|sizes\[|\(NodeCall )"
    r"(0|[1-9]\d{0,8})(?![\w.])",
    re.ASCII,
)
_MOST_KEPT = 20_000_000  # characters
_MOST_WRITTEN = 4
_RUN = 3  # shorter runs of equal lines are not worth a reference


def block(head: Any, lines: Iterable[str] = ()) -> str:
    """Return ``head`` as JSON, then ``lines``, gzipped, in base64.

    No character of base64 can end a script element. The lines stay lines, instead of
    strings in the JSON, because their quotes would be escaped twice, and the layers of a
    GPT, which are alike, would then lie further apart than the 32 KB that gzip looks back.
    """
    text = visible("\n".join((orjson.dumps(head).decode(), *lines)))
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode("ascii")


class PictureLines:
    """Writes pictures as lines, and keeps what the pictures of one run have in common.

    ``fresh`` counts the lines that were not those of the picture before.
    """

    def __init__(self, cwd: str | None = None) -> None:
        """Start with no picture; ``cwd`` is what files are named from."""
        self._cwd = cwd
        self._split = Splitter()
        self._places: dict[Frame, str] = {}
        self._before: tuple[Picture, list[str]] | None = None
        self.fresh = 0

    def __call__(self, picture: Picture) -> list[str]:
        """Return one JSON line a node, in the renumbered form; see ``web/src/unpack.ts``.

        ``[label, role, status, group, parameter, origin, place, shapes, width, dx, dy, bends,
        inputs, hidden, reads, code, code before, shapes before, values, cause]``; x and y as
        differences to the node before, inputs as distances back, bends relative to the node they
        end at; values in pairs, before and after; cause 1 for a node that differs by itself.
        """
        layout = picture.layout
        kept: Sequence[DrawnNode] = ()
        rows: list[str] = []
        if self._before is not None and self._before[0].layout is layout:
            kept, rows = self._before[0].nodes, self._before[1]
        lines = []
        at_x = at_y = 0
        for index, drawn in enumerate(picture.nodes):
            x, y = round(layout.x[index]), round(layout.y[index])
            if index < len(kept) and kept[index] == drawn:
                lines.append(rows[index])
            else:
                lines.append(self._row(picture, index, x - at_x, y - at_y))
                self.fresh += 1
            at_x, at_y = x, y
        self._before = picture, lines
        return renumbered(lines, self._split)

    def _row(self, picture: Picture, index: int, by_x: int, by_y: int) -> str:
        layout, drawn = picture.layout, picture.nodes[index]
        node = drawn.node
        x = round(layout.x[index])
        bends = []
        for source in drawn.inputs:
            points = layout.bends.get((source, index), ())
            bends.append([value - x for value in (round(point[0]) for point in points)])
        origin = f"{node.origin.name} (NodeCall {node.origin.index})" if node.origin else ""
        row = [
            node.label,
            ROLES.index(node.role),
            STATUSES.index(drawn.status),
            node.group,
            node.parameter,
            origin,
            "" if node.place is None else self._place(node.place),
            list(node.shapes),
            round(layout.width[index]),
            by_x,
            by_y,
            bends if any(bends) else 0,
            [index - source for source in drawn.inputs],
            [index - source for source in drawn.hidden],
            list(node.reads),
            "\n".join(drawn.code),
            "\n".join(drawn.before),
            list(drawn.before_shapes),
            [[value.before, value.after] for value in drawn.values],
            int(drawn.is_cause),
        ]
        while row and row[-1] in ("", [], 0):
            row.pop()
        return orjson.dumps(row).decode()

    def _place(self, place: Frame) -> str:
        found = self._places.get(place)
        if found is None:
            shown = shown_place(place, self._cwd)
            found = self._places[place] = f"{shown} in {place.function}\n{place.code}"
        return found


# Whether it is a definition, and the name without its number.
_Name = tuple[bool, str]


@dataclass(slots=True)
class _Parts:
    """A line taken apart at the numbers in its names.

    ``words`` are text and, in between, empty places for the numbers of ``names``: whether each
    is a definition, with its name, and its number. ``last`` is what each name counts to.
    ``written`` has the line as it came out, by the numbers that its names counted from.
    """

    words: list[str]
    names: list[tuple[_Name, int]]
    last: dict[_Name, int]
    written: dict[tuple[int, ...], str]


class Splitter:
    """Takes lines apart at the numbers in their names.

    Of fifty pictures of one model nearly all lines are the same, and the search is most of
    what packing them costs: the parts of a line are kept, and what was made of them.
    """

    def __init__(self) -> None:
        """Start with no line."""
        self._kept: dict[str, _Parts] = {}
        self._size = 0

    def __call__(self, line: str) -> _Parts:
        """Return the parts of ``line``."""
        parts = self._kept.get(line)
        if parts is None:
            parts = _parts(line)
            if self._size < _MOST_KEPT:
                self._size += len(line)
                self._kept[line] = parts
        return parts


def _parts(line: str) -> _Parts:
    found = _NUMBER.split(line.replace(_MARK, "|"))
    words = [found[0] or ""]
    names = []
    for at in range(1, len(found), 4):
        begins, name, written, after = found[at : at + 4]
        words[-1] += f"{begins or ''}{name}{_MARK}"
        words += ["", after or ""]
        names.append(((begins is not None, name or ""), int(written or 0)))
    return _Parts(words, names, dict(names), {})


def renumbered(lines: Iterable[str], split: Splitter) -> list[str]:
    """Return ``lines`` of JSON with the numbers in names as steps from the last of that name.

    A name at the beginning of a string or of a line in one, where FX defines it, counts
    apart from its uses.

    ``getitem_81 = inputs[40]`` after ``getitem_80 = inputs[39]`` becomes
    ``getitem_+1 = inputs[+1]``; one node more shifts no line after it.
    """
    last: dict[_Name, int] = {}
    found = []
    for line in lines:
        parts = split(line)
        before = tuple([last.get(name, 0) for name in parts.last])
        text = parts.written.get(before)
        if text is None:
            text = _renumber(parts, last)
            if len(parts.written) < _MOST_WRITTEN:
                parts.written[before] = text
        last.update(parts.last)
        found.append(text)
    return found


def _renumber(parts: _Parts, before: dict[_Name, int]) -> str:
    words = parts.words.copy()
    last = dict.fromkeys(parts.last, 0)
    last.update((name, before[name]) for name in last if name in before)
    for at, (name, number) in enumerate(parts.names):
        words[2 * at + 1] = f"{number - last[name]:+d}"
        last[name] = number
    return "".join(words)


class Base:
    """Lines that others are written against, and where each run of them is."""

    def __init__(self, lines: Sequence[str]) -> None:
        """Index ``lines``."""
        self.lines = lines
        self.where: dict[tuple[str, ...], list[int]] = {}
        for start in range(len(lines) - _RUN + 1):
            self.where.setdefault(tuple(lines[start : start + _RUN]), []).append(start)


def delta(lines: Sequence[str], base: Base) -> list[str]:
    """Return ``lines`` as what they take from ``base``: ``=start count`` for a run, or a line.

    Lines are JSON lists, so none begins with ``=``.
    """
    found: list[str] = []
    known = base.lines
    index = expected = 0
    while index < len(lines):
        starts = base.where.get(tuple(lines[index : index + _RUN]), ())
        if not starts:
            found.append(lines[index])
            index += 1
            continue
        # Where many layers are alike a run is in many places: the next one in order is it.
        place = bisect_left(starts, expected)
        start = starts[place] if place < len(starts) else starts[0]
        count = _RUN
        while (
            index + count < len(lines)
            and start + count < len(known)
            and lines[index + count] == known[start + count]
        ):
            count += 1
        found.append(f"={start} {count}")
        index += count
        expected = start + count
    return found
