"""Pieces of a file, with what somebody else found in them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ca_reports.logs.blocks import Block
from ca_reports.logs.pieces import END, LINE, QUIET, UNWANTED, WANTED, Piece, Span
from ca_reports.logs.stored import StoredText

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DATA = b"before\nhead\n\tpayload\nquiet\nquiet\nhead\n\tunread\nafter\n"


def made(path: Path, spans: list[Span], line: int = 0) -> tuple[list[Block], int]:
    path.write_bytes(DATA)
    descriptor = os.open(path, os.O_RDONLY)
    try:
        piece = Piece(descriptor, 7, len(DATA) - 6, lambda: spans)
        found: list[Block] = []
        ended = 0

        def blocks() -> Iterator[Block]:
            nonlocal ended
            ended = yield from piece.blocks(spans, line)

        found += blocks()
        return found, ended
    finally:
        os.close(descriptor)


def test_it_is_read_to_its_end_and_no_further(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(DATA)
    with path.open("rb") as file:
        piece = Piece(file.fileno(), 7, len(DATA) - 6, lambda: None)
        assert piece.size == len(DATA) - 13
        parts = iter(lambda: piece.read(5), b"")
        assert b"".join(parts) == DATA[7:-6]


def test_its_blocks_are_those_that_were_found(tmp_path: Path) -> None:
    spans = [
        Span(LINE, 0, 0), Span(WANTED, 5, 1), Span(QUIET, 14, 2, records=2, pid=9),
        Span(LINE, 26, 4), Span(UNWANTED, 31, 5), Span(END, 39, 6),
    ]  # fmt: skip
    blocks, line = made(tmp_path / "a.log", spans, line=1)
    assert [block.data for block in blocks] == [b"head", b"payload", b"", b"head", b""]
    assert [block.payload for block in blocks] == [False, True, False, False, True]
    assert [block.line for block in blocks] == [1, 2, 3, 5, 6]
    assert (blocks[2].quiet, blocks[2].pid) == (2, 9)
    assert line == 7


def test_a_payload_that_is_packed_already_is_not_read_again(tmp_path: Path) -> None:
    packed = StoredText.pack(b"payload")
    spans = [Span(LINE, 0, 0), Span(WANTED, 5, 1, packed=packed), Span(END, 14, 2)]
    blocks, _ = made(tmp_path / "a.log", spans)
    assert (blocks[1].data, blocks[1].packed) == (b"", packed)
