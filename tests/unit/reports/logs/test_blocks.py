"""Blocks of a log: a record's line, a payload."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ca_reports.logs.blocks import MAX_PIECE, blocks
from ca_reports.logs.damage import DamageLog
from ca_reports.logs.record import Wanted
from ca_reports.logs.records import RecordReader
from tests.unit.reports.logs.written import good, written


@given(
    lines=st.lists(st.binary(max_size=12).map(lambda raw: raw.replace(b"\n", b"")), max_size=20),
    chunk=st.integers(min_value=1, max_value=9),
    closed=st.booleans(),
)
def test_blocks_lose_nothing_whatever_the_chunks(
    lines: list[bytes], chunk: int, closed: bool
) -> None:
    data = b"\n".join(lines) + (b"\n" if closed else b"")
    stream = io.BytesIO(data)
    found = list(blocks(lambda size: stream.read(min(size, chunk))))
    assert b"\n".join(written(block) for block in found) == data.removesuffix(b"\n")
    for block in found:
        assert block.first
        assert block.last
        assert all(part.startswith(b"\t") == block.payload for part in written(block).split(b"\n"))


def test_blocks_know_their_line() -> None:
    data = b"one\n\ttwo\n\tthree\nfour\n\nsix"
    found = [(block.line, block.data) for block in blocks(io.BytesIO(data).read)]
    assert found == [(1, b"one"), (2, b"two\n\tthree"), (4, b"four"), (5, b""), (6, b"six")]


@pytest.mark.parametrize("payload", [True, False])
def test_a_block_beyond_the_bound_comes_in_pieces(payload: bool) -> None:
    text = (b"\t" if payload else b"") + b"x" * 1000
    lines = (MAX_PIECE // 1000) * 2 if payload else 1
    data = b"\n".join([text] * lines) if payload else b"x" * (MAX_PIECE * 2 + 5)
    found = list(blocks(io.BytesIO(data).read))
    assert len(found) > 1
    assert [block.first for block in found] == [True] + [False] * (len(found) - 1)
    assert [block.last for block in found] == [False] * (len(found) - 1) + [True]
    assert b"".join(written(block) for block in found) == data
    assert [block.line for block in found[1:]] == [
        1 + data[: len(b"".join(written(block) for block in found[:end]))].count(b"\n")
        for end in range(1, len(found))
    ]
    assert max(len(block.data) for block in found) < MAX_PIECE * 2


@pytest.mark.long
@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                b"step 1\n", b"\n", b"  \n", b"\r\n", b"a] [b] c\n", b"a] {\n", b"\tpayload\n",
                b"x" * 70_000, b"y\n" * 4_000, (b"y" * 49 + b"\n") * 2_000,
                good(), b"[r0]:" + good(), b"[r0]:\tx\n",
                b"V1121 09:34:50.006000 26265 torch/_dynamo/guards.py:5396] [4/1] [__recompiles] "
                b"Recompiling function f in t.py:3\n",
            ]
        ),
        max_size=12,
    ),
    st.sampled_from([7_001, 1 << 18]),
)  # fmt: skip
def test_lines_that_are_none_are_stepped_over_as_they_are_read(
    parts: list[bytes], chunk: int
) -> None:
    """With ``wanted`` many at once, without it line by line."""
    data = good() + b"".join(parts)
    found = []
    wanted = Wanted(frozenset(("str", "artifact")), lambda _: True, lambda _: False, ())
    for selection in (None, wanted):
        stream, damage = io.BytesIO(data), DamageLog()
        reader = RecordReader("x", lambda _, s=stream: s.read(chunk), selection, damage)  # type: ignore[misc]
        records = [(record.line, record.name) for record in reader.records()]
        found.append((records[:1], reader.count, reader.texts, damage.items(), reader.first_line))

    assert found[0] == found[1]
