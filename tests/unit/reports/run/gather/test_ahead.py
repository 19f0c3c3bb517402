"""A large file is read with helpers, and what is read of it is the same."""

from __future__ import annotations

import os
import random
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ca_reports.run.build.bounds import Bounds
from ca_reports.run.gather import ahead
from ca_reports.run.gather.pool import read_all
from tests.unit.reports.run.gather.pieces import changed, read, records, with_helpers

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def mixed(choice: random.Random) -> list[bytes]:
    """The records of two processes, in turn."""
    both = [records(4711), records(4712)]
    return [both[0 if not both[1] or (both[0] and choice.random() < 0.5) else 1].pop(0)
            for _ in range(sum(map(len, both)))]  # fmt: skip


def torn(record: bytes, choice: random.Random) -> bytes:
    return record[: choice.randrange(len(record))]


def prefixed(record: bytes, choice: random.Random) -> bytes:
    prefix = choice.choice([b"[rank0]: ", b'V1121 06:19:00.425000 1 a.py:1] {"str": ', b"\x1b[0m"])
    return b"".join(prefix + line for line in record.splitlines(keepends=True))


DAMAGE: list[Callable[[bytes, random.Random], bytes]] = [
    torn, changed, prefixed,
    lambda record, choice: torn(record, choice) + b"\n",
    lambda record, choice: record.replace(b"\n", b"\r\n"),
    lambda record, choice: b"a line of the program\n" + record,
    lambda record, choice: b"\n\torphaned\n" + record,
    lambda record, choice: record + record,
    lambda record, choice: b"\0" * choice.randrange(9) + record,
    lambda record, choice: record.partition(b"\n")[0] + b"\n",
]  # fmt: skip


@pytest.mark.long
@given(seed=st.integers(0, 2**32), damaged=st.integers(0, 6), size=st.integers(300, 6_000))
def test_it_reads_the_same(
    tmp_path_factory: pytest.TempPathFactory, seed: int, damaged: int, size: int
) -> None:
    choice = random.Random(seed)
    log = mixed(choice) if choice.random() < 0.5 else records()
    for _ in range(damaged):
        at = choice.randrange(len(log))
        log[at] = choice.choice(DAMAGE)(log[at], choice)
    data = b"".join(log)
    folder = tmp_path_factory.getbasetemp()
    assert with_helpers(data, folder, size) == read(data, folder)


needs_forking = pytest.mark.skipif(sys.platform != "linux", reason="helpers are forked")


@needs_forking
def test_helpers_are_processes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, looked_through: list[int]
) -> None:
    monkeypatch.setattr(ahead, "SIZE", 20_000)
    monkeypatch.setattr(ahead, "WORTH_HELPERS", 0)
    data = b"".join(records(captures=100))
    one = read(data, tmp_path)
    told: list[int] = []

    class Progress:
        def start(self, files: int, size: int | None) -> None:
            pass

        def advance(self, size: int) -> None:
            told.append(size)

        def file_done(self) -> None:
            pass

    monkeypatch.chdir(tmp_path)
    (found,) = read_all(["a.log"], Bounds(), jobs=2, progress=Progress())
    assert (found.processes, found.damage) == (one.processes, ())
    assert sum(told) == found.bytes == len(data)
    assert looked_through
    looked_through.clear()
    read_all(["a.log"], Bounds(), jobs=1)
    assert not looked_through


@needs_forking
def test_helpers_that_are_killed_cost_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    data = b"".join(records(captures=100))
    one = read(data, tmp_path)
    monkeypatch.setattr(ahead, "SIZE", 20_000)
    monkeypatch.setattr(ahead, "WORTH_HELPERS", 0)
    monkeypatch.setattr(ahead, "look_through", _die)
    assert read(data, tmp_path, helpers=2) == one


def _die(*_: object) -> None:
    os._exit(9)
