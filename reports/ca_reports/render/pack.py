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

from ca_reports import sentences
from ca_reports.model import Frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ca_reports.graphs.document import Picture
    from ca_reports.graphs.fx import Place

ROLES = ("autograd", "aot", "accumulate", "hook", "call", "operator", "output")
STATUSES = ("same", "changed", "added", "removed")
# Stands between a name and a step, so that no text of a log can be taken for one.
_MARK = "¦"
# From the beginning of a word only: tried at each of its letters it would take seconds.
_NUMBER = re.compile(
    r"(?:(\\n|\")|\b|(?=\())([A-Za-z_]\w*?_|inputs\[|sizes\[|\(NodeCall )"
    r"(0|[1-9]\d{0,8})(?![\w.])",
    re.ASCII,
)
_MOST_KEPT = 20_000_000  # characters
_RUN = 3  # shorter runs of equal lines are not worth a reference


def block(head: Any, lines: Iterable[str] = ()) -> str:
    """``head`` as JSON, then ``lines``, gzipped, in base64.

    No character of base64 can end a script element. The lines stay lines, instead of
    strings in the JSON, because their quotes would be escaped twice, and the layers of a
    GPT, which are alike, would then lie further apart than the 32 KB that gzip looks back.
    """
    text = b"\n".join((orjson.dumps(head), *(line.encode("utf-8", "replace") for line in lines)))
    return base64.b64encode(gzip.compress(text, 9, mtime=0)).decode("ascii")


def picture_lines(
    picture: Picture, cwd: str | None = None, split: Splitter | None = None
) -> list[str]:
    """One JSON line a node, in the renumbered form; see ``web/src/unpack.ts``.

    ``[label, role, status, group, parameter, origin, place, shapes, width, dx, dy, bends,
    inputs, hidden, reads, code, code before, shapes before]``; x and y as differences to
    the node before, inputs as distances back, bends relative to the node they end at.
    ``split`` is kept from one picture of a run to the next.
    """
    layout = picture.layout
    lines = []
    places: dict[Place, str] = {}
    at_x = at_y = 0
    for index, drawn in enumerate(picture.nodes):
        node = drawn.node
        x, y = round(layout.x[index]), round(layout.y[index])
        bends = []
        for source in drawn.inputs:
            points = layout.bends.get((source, index), ())
            bends.append([value - x for value in (round(point[0]) for point in points)])
        place = ""
        if node.place is not None:
            place = places.get(node.place) or places.setdefault(node.place, _place(node.place, cwd))
        origin = f"{node.origin.name} (NodeCall {node.origin.index})" if node.origin else ""
        row = [
            node.label,
            ROLES.index(node.role),
            STATUSES.index(drawn.status),
            node.group,
            node.parameter,
            origin,
            place,
            list(node.shapes),
            round(layout.width[index]),
            x - at_x,
            y - at_y,
            bends if any(bends) else 0,
            [index - source for source in drawn.inputs],
            [index - source for source in drawn.hidden],
            list(node.reads),
            "\n".join(drawn.code),
            "\n".join(drawn.before),
            list(drawn.before_shapes),
        ]
        at_x, at_y = x, y
        while row and row[-1] in ("", [], 0):
            row.pop()
        lines.append(orjson.dumps(row).decode())
    return renumbered(lines, split or Splitter())


def _place(place: Place, cwd: str | None) -> str:
    shown = sentences.place(Frame(place.file, place.line, place.function, place.code), cwd)
    return f"{shown} in {place.function}\n{place.code}"


class Splitter:
    """Takes lines apart at the numbers in their names.

    Of fifty pictures of one model nearly all lines are the same, and the search is most of
    what packing them costs: the parts of a line are kept.
    """

    def __init__(self) -> None:
        """Start with no line."""
        self._kept: dict[str, list[str | None]] = {}
        self._size = 0

    def __call__(self, line: str) -> list[str | None]:
        """Text, what begins, name, number, text, …: ``re.split`` with the groups of ``_NUMBER``."""
        parts = self._kept.get(line)
        if parts is None:
            parts = _NUMBER.split(line.replace(_MARK, "|"))
            if self._size < _MOST_KEPT:
                self._size += len(line)
                self._kept[line] = parts
        return parts


def renumbered(lines: Iterable[str], split: Callable[[str], list[str | None]]) -> list[str]:
    """``lines`` of JSON with the numbers in names as steps from the last of that name.

    A name at the beginning of a string or of a line in one, where FX defines it, counts
    apart from its uses.

    ``getitem_81 = inputs[40]`` after ``getitem_80 = inputs[39]`` becomes
    ``getitem_+1 = inputs[+1]``; one node more shifts no line after it.
    """
    uses: dict[str | None, int] = {}
    definitions: dict[str | None, int] = {}
    found = []
    for line in lines:
        parts = split(line)
        text = parts[0] or ""
        for at in range(1, len(parts), 4):
            begins, name, written, after = parts[at : at + 4]
            number = int(written or 0)
            last = uses if begins is None else definitions
            by = number - last.get(name, 0)
            last[name] = number
            text += f"{begins or ''}{name}{_MARK}{by:+d}{after}"
        found.append(text)
    return found


class Base:
    """Lines that others are written against, and where each run of them is."""

    def __init__(self, lines: Sequence[str]) -> None:
        """Index ``lines``."""
        self.lines = lines
        self.where: dict[tuple[str, ...], list[int]] = {}
        for start in range(len(lines) - _RUN + 1):
            self.where.setdefault(tuple(lines[start : start + _RUN]), []).append(start)


def delta(lines: Sequence[str], base: Base) -> list[str]:
    """``lines`` as what they take from ``base``: ``=start count`` for a run, or a line.

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
