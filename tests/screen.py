"""What a terminal shows: the sequences that `ca`, tqdm and Rich write, and no others."""

from __future__ import annotations

import re

_CONTROL = re.compile(
    r"\x1b(?:\[(?P<arguments>[?\d;]*)(?P<csi>[A-Za-z])|(?P<plain>[78DEM])|\][^\x1b]*\x1b\\)"
)


class Screen:
    """A screen of ``columns`` and ``rows``; what scrolls off its top is in ``scrolled``."""

    def __init__(self, columns: int = 80, rows: int = 24) -> None:
        self.columns, self.rows = columns, rows
        self._cells = [[" "] * columns for _ in range(rows)]
        self._row = self._column = 0
        self._saved = (0, 0)
        self.scrolled: list[str] = []

    @property
    def lines(self) -> list[str]:
        """All lines so far, without the empty ones at the end."""
        shown = ["".join(row).rstrip() for row in self._cells]
        while shown and not shown[-1]:
            shown.pop()
        return self.scrolled + shown

    def feed(self, text: str) -> None:
        """Take what was written."""
        position = 0
        while position < len(text):
            found = _CONTROL.match(text, position)
            if found is not None:
                self._control(found)
                position = found.end()
                continue
            character = text[position]
            position += 1
            assert character != "\x1b", text[position : position + 20]
            if character == "\r":
                self._column = 0
            elif character == "\n":
                self._down()
            elif character >= " ":
                self._put(character)

    def _put(self, character: str) -> None:
        if self._column == self.columns:
            self._column = 0
            self._down()
        self._cells[self._row][self._column] = character
        self._column += 1

    def _down(self) -> None:
        if self._row < self.rows - 1:
            self._row += 1
            return
        self.scrolled.append("".join(self._cells.pop(0)).rstrip())
        self._cells.append([" "] * self.columns)

    def _control(self, found: re.Match[str]) -> None:
        plain, csi = found["plain"], found["csi"]
        number = int(found["arguments"] or 0) if (found["arguments"] or "0").isdecimal() else 0
        if plain == "7":
            self._saved = (self._row, self._column)
        elif plain == "8":
            self._row, self._column = self._saved
        elif plain in ("D", "E"):
            self._down()
            self._column = 0 if plain == "E" else self._column
        elif plain == "M" or csi == "A":
            self._row = max(0, self._row - max(1, number))
        elif csi == "B":
            self._row = min(self.rows - 1, self._row + max(1, number))
        elif csi == "K":
            first = self._column if number == 0 else 0
            last = self._column + 1 if number == 1 else self.columns
            self._cells[self._row][first:last] = [" "] * (last - first)
        else:
            assert csi in ("m", "h", "l", None), found[0]  # colours, the cursor's looks, links
