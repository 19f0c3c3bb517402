"""Records of a log as bytes, read back."""

from __future__ import annotations

import io

from ca_reports.logs.blocks import Block
from ca_reports.logs.damage import DamageLog
from ca_reports.logs.record import Record
from ca_reports.logs.records import RecordReader
from tests.unit.logwriter import LogWriter


def read(data: bytes, chunk: int | None = None) -> tuple[list[Record], DamageLog]:
    """All records of ``data``, every payload kept; ``chunk`` limits what one read gives."""
    damage = DamageLog()
    stream = io.BytesIO(data)

    def some(size: int) -> bytes:
        return stream.read(min(size, chunk) if chunk else size)

    reader = RecordReader("a.log", some, None, damage)
    return list(reader.records()), damage


def written(block: Block) -> bytes:
    """The bytes that the block stands for."""
    if not block.payload:
        return block.data
    return (b"\t" if block.first else b"") + block.data


def good() -> bytes:
    log = LogWriter()
    log.record("compiled_autograd_graph", {}, "abc", compiled_autograd_id=7)
    return log.data
