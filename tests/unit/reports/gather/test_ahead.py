"""A large file is read with helpers, and what is read of it is the same."""

from __future__ import annotations

import os
import random
import sys
from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ca_reports.build.bounds import Bounds
from ca_reports.gather import ahead
from ca_reports.gather.filereading import FileResult, read_file
from ca_reports.gather.pool import read_all
from ca_reports.read.pieces import Piece
from tests.unit.logwriter import GRAPH_CODE, LogWriter

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SIZE = 2_000


class Here(Executor):
    """Looks through the pieces in this process, each when it is asked to."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def submit(self, work: Callable[..., Any], /, *args: Any, **more: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_running_or_notify_cancel()
        done.set_result(work(*args, **more))
        return done


def with_helpers(data: bytes, folder: Path, size: int = SIZE) -> FileResult:
    """Read ``data`` in pieces of about ``size`` bytes, each looked through."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ahead, "SIZE", size)
        patch.setattr(ahead, "WORTH_HELPERS", 0)
        patch.setattr(ahead, "ProcessPoolExecutor", Here)
        return read(data, folder, helpers=2)


@pytest.fixture
def looked_through(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the pieces of which only the records were read."""
    found: list[int] = []
    blocks = Piece.blocks

    def counted(piece: Piece, *args: Any) -> Any:
        found.append(piece.size)
        return blocks(piece, *args)

    monkeypatch.setattr(Piece, "blocks", counted)
    # A thread that a library of an earlier test left behind would forbid it.
    monkeypatch.setattr(ahead, "can_fork", lambda: sys.platform == "linux")
    return found


def read(data: bytes, folder: Path, helpers: int = 0) -> FileResult:
    path = folder / "a.log"
    path.write_bytes(data)
    found = read_file(str(path), Bounds(), "a.log", None, helpers)
    return FileResult(found.file, found.processes, found.damage, found.bytes, 0.0)


def records(pid: int = 4711, captures: int = 6) -> list[bytes]:
    """What torch and `ca run` write of some captures."""
    log = LogWriter(pid, rank=pid % 2)
    log.ca_run()
    for id in range(captures):
        of: dict[str, Any] = {"compiled_autograd_id": id, "frame_id": id, "frame_compile_id": 0}
        log.ca_capture(id, "new_autograd_node" if id else "first")
        for tensor in range(12):
            log.record("describe_tensor", {"id": tensor, "size": [2, 3]}, **of)
            if tensor % 5 == 0:
                log.record("chromium_event", {}, '{"name": "inner",\n"ph": "B"}', **of)
                log.record("str", [f"{pid}-{id}-{tensor}.py", tensor])
        log.record("artifact", {"name": "of nobody", "encoding": "string"}, "x\n" * 900, **of)
        log.torch_capture(id, code=GRAPH_CODE)
        log.compiled(f"!{id}/{id}/0", 0.5)
        log.ca_backwards([(id, 1)], id)
    return log.records


def mixed(choice: random.Random) -> list[bytes]:
    """The records of two processes, in turn."""
    both = [records(4711), records(4712)]
    return [both[0 if not both[1] or (both[0] and choice.random() < 0.5) else 1].pop(0)
            for _ in range(sum(map(len, both)))]  # fmt: skip


def torn(record: bytes, choice: random.Random) -> bytes:
    return record[: choice.randrange(len(record))]


def changed(record: bytes, choice: random.Random) -> bytes:
    at = choice.randrange(len(record))
    return record[:at] + bytes([choice.randrange(256)]) + record[at + 1 :]


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


def test_only_the_records_of_most_pieces_are_read(
    tmp_path: Path, looked_through: list[int]
) -> None:
    data = b"".join(records(captures=40))
    found = with_helpers(data, tmp_path)
    assert found.damage == ()
    assert len(found.processes[0].captures) == 40
    assert sum(looked_through) > len(data) - 4 * SIZE


def test_a_piece_with_damage_is_read(tmp_path: Path, looked_through: list[int]) -> None:
    log = records(captures=40)
    middle = len(log) // 2
    log.insert(middle, b"a line of the program\n")
    found = with_helpers(b"".join(log), tmp_path)
    assert [entry.kind for entry in found.damage] == ["not_a_record"]
    assert found.damage[0].line == 1 + b"".join(log[:middle]).count(b"\n")
    assert len(looked_through) > 10


def test_a_line_that_is_payload_to_what_stands_before_it_is_no_record(tmp_path: Path) -> None:
    """A torn record makes a prefix of lines to come, which may look whole by themselves."""
    log = records(captures=40)
    head = b'V1121 06:19:00.425000 4711 torch/_dynamo/utils.py:2350] {"str": '
    whole = next(record for record in log if b"ca_backwards" in record)
    line, _, _ = whole.partition(b"\n")
    fake = head + b"\t" + b'["a.py", 1]}\n'
    for at in range(3, 39):
        changed = log.copy()
        changed.insert(len(log) * at // 40, head + line + b"\n" + fake * 60)
        data = b"".join(changed)
        assert with_helpers(data, tmp_path) == read(data, tmp_path)


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
