"""Lines of source on a terminal, numbered, with carets below the one that is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from ca_reports.words.clean import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.program.excerpts import Excerpt


def code_frame(found: Excerpt, width: int) -> Iterator[Text]:
    """Yield the lines of ``found`` in ``width`` characters, with carets below the one meant."""
    from rich.syntax import Syntax

    syntax = Syntax("", "python", theme="ansi_dark", background_color="default")
    digits = len(str(found.first + len(found.lines)))
    for number, line in enumerate(found.lines, found.first):
        marked = number == found.marked
        code = syntax.highlight(clean(line.expandtabs(4)).rstrip())
        code.rstrip()
        code.truncate(max(20, width - digits - 3), overflow="ellipsis")
        text = Text().append(f"{number:>{digits}} | ", "bold cyan" if marked else "dim")
        yield text.append_text(code)
        if marked:
            indent = len(code.plain) - len(code.plain.lstrip())
            carets = "^" * max(1, len(code.plain) - indent)
            below = Text().append(f"{'':>{digits}} | {'':{indent}}", "dim")
            yield below.append(carets, "bold cyan")
