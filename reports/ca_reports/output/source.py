"""The user's lines that findings and captures point at, with Pygments' colours.

Which of them may be shown is told in ``source.excerpts``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from ca_engine.lazy_classes import dataclass
from ca_reports.program.excerpts import excerpt, stands
from ca_reports.sentences.places import shown_place

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ca_reports.program.files import SourceFiles
    from ca_reports.run.model import Frame

MAX_FILES = 20
MAX_LINES = 1_500
# Lines shown around one that is pointed at.
_AROUND = 12
# Characters; of a longer file Pygments sees so many lines before each that is shown.
_LONG_FILE = 30_000
_BEFORE = 150
_LONG_LINE = 400


@dataclass(frozen=True, slots=True)
class Pointer:
    """Something that points at a line: what it says there, and where a click leads.

    ``to_change`` says that the line is the one to edit.
    """

    frame: Frame
    label: str
    target: str
    to_change: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file; ``gap`` says that lines before it are left out."""

    number: int
    html: Markup
    notes: tuple[tuple[str, str], ...]
    gap: bool
    to_change: bool = False


@dataclass(frozen=True, slots=True)
class File:
    """A file as far as it is shown; ``path`` as the log names it."""

    name: str
    path: str
    lines: tuple[Line, ...]


def sources(pointers: Iterable[Pointer], cwd: str | None, files: SourceFiles) -> list[File]:
    """Return the files to show, those pointed at most important first."""
    by_file: dict[str, list[Pointer]] = {}
    for pointer in pointers:
        by_file.setdefault(pointer.frame.file, []).append(pointer)
    found: list[File] = []
    for path, here in by_file.items():
        if len(found) >= MAX_FILES:
            break
        text = files.text(path)
        if text is None:
            continue
        lines = text.splitlines()
        sure = [pointer for pointer in here if stands(pointer.frame, lines)]
        if sure:
            name = shown_place(sure[0].frame, cwd).rpartition(":")[0]
            found.append(File(name, path, _lines(text, sure)))
    return found


def _lines(text: str, pointers: Sequence[Pointer]) -> tuple[Line, ...]:
    notes: dict[int, dict[tuple[str, str], None]] = {}
    for pointer in pointers:
        notes.setdefault(pointer.frame.line, {})[pointer.label, pointer.target] = None
    # Pygments takes these for the ends of lines, too. It takes quadratic time for lines of blanks.
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    change = {pointer.frame.line for pointer in pointers if pointer.to_change}
    wanted = sorted(
        {
            number
            for line in notes
            for number in range(max(1, line - _AROUND), min(len(lines), line + _AROUND) + 1)
        }
    )[:MAX_LINES]
    coloured = _coloured(lines, wanted)
    found = []
    before = 0
    for number in wanted:
        found.append(
            Line(
                number,
                coloured[number],
                tuple(notes.get(number, {})),
                gap=number != before + 1,
                to_change=number in change,
            )
        )
        before = number
    return tuple(found)


def _coloured(lines: list[str], wanted: list[int]) -> dict[int, Markup]:
    """Return the wanted lines, escaped and coloured.

    A file may come with a stranger's log, and there are texts that Pygments is slow on. So of a
    long one it sees no more than some lines before those that are shown, and no long line whole.
    """
    if sum(map(len, lines)) <= _LONG_FILE:
        return _highlighted(1, lines)
    found: dict[int, Markup] = {}
    for number in wanted:
        if number not in found:
            begin = max(1, number - _BEFORE)
            part = [line[:_LONG_LINE] for line in lines[begin - 1 : number + 2 * _AROUND]]
            shown = _highlighted(begin, part)
            found |= {at: html for at, html in shown.items() if at >= number}
    return found


def _highlighted(begin: int, lines: list[str]) -> dict[int, Markup]:
    """Return the lines from line ``begin`` on; Pygments escapes what it colours."""
    shown = highlight(
        "\n".join(lines), PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)
    ).split("\n")
    return {begin + at: Markup(html) for at, html in enumerate(shown[: len(lines)])}


def excerpt_lines(frame: Frame, files: SourceFiles) -> tuple[Line, ...]:
    """Return the line of ``frame`` between its neighbours; empty if it cannot be shown for sure."""
    found = excerpt(files, frame)
    if found is None:
        return ()
    # Of the three lines alone: a colour may be wrong inside a string of many lines.
    coloured = _highlighted(found.first, [line.rstrip()[:_LONG_LINE] for line in found.lines])
    return tuple(
        Line(number, html, (), gap=False, to_change=number == found.marked)
        for number, html in coloured.items()
    )
