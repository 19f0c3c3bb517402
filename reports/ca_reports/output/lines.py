"""Lines on a console: wrapped, indented, and with nothing in them that steers the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from ca_reports.words.clean import clean

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_PLAIN = {"→": "->", "–": "-", "…": "...", "×": "x", "″": '"'}


class Lines:
    """Prints text that may come from a log."""

    def __init__(self, console: Console) -> None:
        """Characters that the console's encoding lacks are replaced."""
        self._console = console
        self._encoding = console.encoding or "utf-8"
        self._unicode = self._encoding.lower().replace("-", "").startswith("utf")

    def safe(self, text: str) -> str:
        """Return ``text`` as it may be printed."""
        safe = clean(text)
        if self._unicode:
            return safe
        for sign, plain in _PLAIN.items():
            safe = safe.replace(sign, plain)
        return safe.encode(self._encoding, "replace").decode(self._encoding, "replace")

    def line(self, text: str, style: str = "", indent: int = 0, *, hanging: int = 0) -> None:
        """Print one line, or as many as it takes, all but the first indented ``hanging`` more."""
        self.text(Text(self.safe(text), style), indent, hanging=hanging)

    def text(self, text: Text, indent: int = 0, *, hanging: int = 0) -> None:
        """Print text that is safe already, wrapped unless the console is not to, indented.

        All lines but the first are indented ``hanging`` further.
        """
        width = max(20, self._console.width - indent - hanging)
        wraps = not self._console.soft_wrap
        lines = text.wrap(self._console, width, overflow="fold") if wraps else [text]
        for number, line in enumerate(lines):
            line.rstrip()
            margin = Text(" " * (indent + (hanging if number else 0)))
            self._console.print(margin + line, highlight=False, soft_wrap=True)

    def table(self, table: Table) -> None:
        """Print a table in the console's width, also where sentences are not wrapped."""
        if not self._unicode:
            for column in table.columns:
                if column.overflow == "ellipsis":  # the sign for it is not in this encoding
                    column.overflow = "crop"
        self._console.print(table, soft_wrap=False)
