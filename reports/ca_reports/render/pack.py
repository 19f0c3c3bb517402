"""Data for the page, small: columns, numbers as differences, gzip, base64.

Fifty captures of one model differ in a few nodes of thousands. A block is therefore
written as what it shares with an earlier one: ``delta`` finds runs of equal lines, and
``Renumber`` makes lines equal whose names only count on (``getitem_81``, ``getitem_82``).
``web/src/unpack.ts`` undoes each of these.
"""

from __future__ import annotations

import base64
import gzip
import re
from typing import TYPE_CHECKING, Any

import orjson

from ca_reports import sentences
from ca_reports.model import Frame

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ca_reports.graphs.document import Picture

ROLES = ("autograd", "aot", "accumulate", "hook", "call", "operator", "output")
STATUSES = ("same", "changed", "added", "removed")
# Stands between a name and a step, so that no text of a log can be taken for one.
_MARK = "¦"
_NUMBER = re.compile(r"([A-Za-z_]\w*?_|inputs\[|sizes\[|\(NodeCall )(0|[1-9]\d{0,8})(?![\w.])")
_RUN = 3  # shorter runs of equal lines are not worth a reference


def block(head: Any, lines: Iterable[str] = ()) -> str:
    """``head`` as JSON, then ``lines``, gzipped, in base64.

    No character of base64 can end a script element. The lines stay lines, instead of
    strings in the JSON, because their quotes would be escaped twice, and the layers of a
    GPT, which are alike, would then lie further apart than the 32 KB that gzip looks back.
    """
    text = b"\n".join((orjson.dumps(head), *(line.encode("utf-8", "replace") for line in lines)))
    return base64.b64encode(gzip.compress(text, 9, mtime=0)).decode("ascii")


def picture_lines(picture: Picture, cwd: str | None = None) -> list[str]:
    """One JSON line a node, in the renumbered form; see ``web/src/unpack.ts``.

    ``[label, role, status, group, parameter, origin, place, shapes, width, dx, dy, bends,
    inputs, hidden, reads, code, code before, shapes before]``; x and y as differences to
    the node before, inputs as distances back, bends relative to the node they end at.
    """
    layout = picture.layout
    renumber = Renumber()
    lines = []
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
            shown = sentences.place(
                Frame(node.place.file, node.place.line, node.place.function, node.place.code), cwd
            )
            place = f"{shown} in {node.place.function}\n{node.place.code}"
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
        lines.append(orjson.dumps(renumber(row)).decode())
    return lines


class Renumber:
    """Writes the numbers in names as steps from the last number of that name.

    A name at the beginning of a line, where FX defines it, counts apart from its uses.

    ``getitem_81 = inputs[40]`` after ``getitem_80 = inputs[39]`` becomes
    ``getitem_+1 = inputs[+1]``; one node more shifts no line after it. Call it on one JSON
    value after another, in the order in which they are read back.
    """

    def __init__(self) -> None:
        """Start with no name seen: the first number of each is a step from 0."""
        self._last: dict[tuple[bool, str], int] = {}

    def __call__(self, value: Any) -> Any:
        """``value`` with the numbers in its strings as steps."""
        if isinstance(value, str):
            return _NUMBER.sub(self._step, value.replace(_MARK, "|"))
        if isinstance(value, list):
            return [self(item) for item in value]
        return value

    def _step(self, found: re.Match[str]) -> str:
        name, number = found[1], int(found[2])
        start = found.start()
        key = (start == 0 or found.string[start - 1] == "\n", name)
        before = self._last.get(key, 0)
        self._last[key] = number
        return f"{name}{_MARK}{number - before:+d}"


def delta(lines: Sequence[str], base: Sequence[str]) -> list[str]:
    """``lines`` as what they take from ``base``: ``=start count`` for a run, or a line.

    Lines are JSON lists, so none begins with ``=``.
    """
    where: dict[tuple[str, ...], list[int]] = {}
    for start in range(len(base) - _RUN + 1):
        where.setdefault(tuple(base[start : start + _RUN]), []).append(start)
    found: list[str] = []
    index = expected = 0
    while index < len(lines):
        starts = where.get(tuple(lines[index : index + _RUN]), ())
        if not starts:
            found.append(lines[index])
            index += 1
            continue
        start = next((one for one in starts if one >= expected), starts[0])
        count = _RUN
        while (
            index + count < len(lines)
            and start + count < len(base)
            and lines[index + count] == base[start + count]
        ):
            count += 1
        found.append(f"={start} {count}")
        index += count
        expected = start + count
    return found
