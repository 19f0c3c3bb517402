"""Lines on a console."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.table import Table

from ca_reports.output.lines import Lines


class Stream(io.StringIO):
    """One in another encoding."""

    def __init__(self, encoding: str) -> None:
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding


def lines(width: int = 40, encoding: str = "utf-8", *, wraps: bool = True) -> tuple[Lines, Stream]:
    stream = Stream(encoding)
    return Lines(Console(file=stream, width=width, soft_wrap=not wraps)), stream


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        ("utf-8", "1 → 2… ä \ufffd[2J"),
        ("latin-1", "1 -> 2... ä ?[2J"),
        ("ascii", "1 -> 2... ? ?[2J"),
    ],
)
def test_what_an_encoding_lacks_is_replaced(encoding: str, expected: str) -> None:
    assert lines(encoding=encoding)[0].safe("1 → 2… ä \x1b[2J") == expected


def test_a_long_line_goes_on_indented_where_the_console_wraps() -> None:
    text = "one two three four five six seven"
    wrapping, stream = lines(24)
    wrapping.line(text, indent=2)
    assert stream.getvalue() == "  one two three four\n  five six seven\n"
    plain, stream = lines(24, wraps=False)
    plain.line(text, indent=2)
    assert stream.getvalue() == f"  {text}\n"


def test_a_table_ends_its_cells_with_no_sign_that_the_encoding_lacks() -> None:
    for encoding, has_sign in (("utf-8", True), ("ascii", False)):
        printing, stream = lines(20, encoding)
        table = Table(box=None)
        table.add_column("a", no_wrap=True, overflow="ellipsis")
        table.add_row("x" * 50)
        printing.table(table)
        assert ("…" in stream.getvalue()) is has_sign
        assert all(len(line) <= 20 for line in stream.getvalue().splitlines())
