"""Texts that were broken at the width of a terminal; what is said of them: `test_escaped`."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

from ca_reports.logs.wrapped import LOOKED_AT, unwrapped
from tests.unit.logwriter import sample_run

LOG = Path(__file__).parents[3] / "fixtures" / "torch" / "2.13.0.txt.gz"
TEXT = gzip.decompress(LOG.read_bytes()).decode()


def broken(text: str, width: int) -> str:
    """Break lines at ``width`` columns, as a terminal does; spaces at the end of a row are lost."""
    rows = [
        line[at : at + width] for line in text.split("\n") for at in range(0, len(line) or 1, width)
    ]
    return "\n".join(row.rstrip() for row in rows)


def test_lines_as_long_as_each_other_are_not_put_together() -> None:
    line = b"W1126 09:34:50.006000 26265 torch/x.py:1] [0/1] torch._dynamo hit config.limit (8)"
    text = b"\n".join([line, b"step 1: loss 0.3", line + b", and goes on", b"step 2"])
    assert unwrapped(io.BytesIO(text).read)(1 << 20) == text


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_a_text_is_read_to_its_end_in_parts_of_any_size(size: int) -> None:
    for text in (broken(TEXT, 80), TEXT, ""):
        read = unwrapped(io.BytesIO(text.encode()).read)
        whole = b""
        while part := read(size):
            whole += part
        assert whole.decode().split() == (TEXT if text else "").split()


def test_a_structured_trace_is_read_as_it_is() -> None:
    trace = b"".join(sample_run().records)
    assert unwrapped(io.BytesIO(trace).read)(1 << 20) == trace[: 1 << 20]


def test_a_trace_that_was_cut_within_a_payload_keeps_its_tabs() -> None:
    cut = b"\tdef forward(self):\n" * 5_000 + b"".join(sample_run().records)
    assert unwrapped(io.BytesIO(cut).read)(1 << 20) == cut[:LOOKED_AT]
