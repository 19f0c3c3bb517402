"""A thread writes the trace once storage is slow: what it may not change, lose or wait for."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch

from ca_engine import slow_storage, trace
from ca_engine.compat import structured_trace
from tests import warm

if TYPE_CHECKING:
    from collections.abc import Iterator

THREAD = "ca-trace"
# Of a pipe's room, some times over.
MUCH = "x" * (1 << 18)


# Torch's handler opens one for each process.
has_own_file = pytest.mark.skipif(
    tuple(int(part) for part in torch.__version__.split(".")[:2]) < (2, 13),
    reason="until torch 2.12 a forked child writes into its parent's file",
)


def is_writing() -> bool:
    return any(thread.name == THREAD for thread in threading.enumerate())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where storage counts as slow from the first record on."""
    monkeypatch.setattr(slow_storage, "FREE_SECONDS", -1.0)
    monkeypatch.setattr(slow_storage, "SHARE", 0.0)
    return tmp_path / "trace"


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """A file that takes 64 KiB, and more only when somebody reads its other end."""
    reader, writer = os.pipe()
    yield reader, writer
    os.close(reader)


def written(log: Path) -> list[str]:
    """The payloads of `write`'s records."""
    lines = log.read_text().splitlines()
    return [
        payload.removeprefix("\t")
        for line, payload in itertools.pairwise(lines)
        if '"name": "told"' in line
    ]


def write(text: object) -> None:
    trace.artifact("told", lambda: str(text), encoding="string")


def write_into(handler: Any, descriptor: int) -> None:
    """From here on ``handler``'s file is this one."""
    handler.stream.close()
    handler.stream = os.fdopen(descriptor, "w")


def test_quick_storage_has_no_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_storage, "FREE_SECONDS", 1e6)
    with trace.written_to(tmp_path):
        for number in range(100):
            write(number)
        assert not is_writing()
        # It is in the file the moment that it is written.
        (log,) = tmp_path.iterdir()
        assert written(log) == [str(number) for number in range(100)]


def test_all_is_written_in_order(folder: Path) -> None:
    with trace.written_to(folder):
        for number in range(2_000):
            write(number)
        assert is_writing()
    assert not is_writing()
    (log,) = folder.iterdir()
    assert written(log) == [str(number) for number in range(2_000)]


def test_settling_waits_for_the_file_and_writing_goes_on(folder: Path) -> None:
    with trace.written_to(folder):
        for begin in (0, 100, 200):
            for number in range(begin, begin + 100):
                write(number)
            trace.settle()
            assert not is_writing()
            (log,) = folder.iterdir()
            assert written(log) == [str(number) for number in range(begin + 100)]


def read_all(reader: int) -> bytes:
    """What the thread writes into a pipe until it ends."""
    os.set_blocking(reader, False)
    found = bytearray()
    deadline = time.monotonic() + 60
    while is_writing():
        assert time.monotonic() < deadline
        try:
            found += os.read(reader, 1 << 20)
        except BlockingIOError:
            time.sleep(0.001)
    with contextlib.suppress(BlockingIOError):
        while more := os.read(reader, 1 << 20):
            found += more
    return bytes(found)


def test_storage_that_hangs_keeps_nobody_waiting(
    folder: Path,
    pipe: tuple[int, int],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    reader, writer = pipe
    monkeypatch.setattr(slow_storage, "HANGS_AFTER", 0.1)
    with trace.written_to(folder) as handler:
        write("first")
        trace.settle()
        write_into(handler, writer)
        for _ in range(20):
            write(MUCH)  # by itself it would wait for who reads the pipe
        trace.settle()
        (line,) = capfd.readouterr().err.splitlines()
        assert line.startswith("ca: the recording is incomplete: 5.2 MB were not written in time (")
        trace.settle()  # it is said once, and waited for once
        assert not capfd.readouterr().err
        assert read_all(reader).count(b"x" * 100) >= 20


def test_what_waits_is_bounded_and_what_is_left_out_is_said(
    folder: Path,
    pipe: tuple[int, int],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    reader, writer = pipe
    monkeypatch.setattr(slow_storage, "MOST_WAITING", 3 << 20)
    with trace.written_to(folder) as handler:
        write("first")
        trace.settle()
        write_into(handler, writer)
        for number in range(40):
            write(f"{number} {MUCH}")
        (line,) = capfd.readouterr().err.splitlines()
        assert line.startswith("ca: the recording is incomplete: 3 MB wait for slow storage (")
        threading.Timer(0.1, trace.settle).start()  # ends the thread
        found = read_all(reader)
    assert len(found) <= 4 << 20
    # Whole records, from the first on: what came when all was full is what is missing.
    kept = [line.split(b" ")[0] for line in found.splitlines() if line.startswith(b"\t")]
    assert kept == [b"\t%d" % number for number in range(len(kept))]
    assert 10 <= len(kept) <= 13


def test_a_full_disk_is_said_by_the_thread(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with trace.written_to(folder) as handler:
        write("first")
        trace.settle()
        write_into(handler, os.open("/dev/full", os.O_WRONLY))
        for number in range(100):
            write(number)
        trace.settle()
        write("nobody listens any more")
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("ca: the recording ends here: No space left on device (")


def test_a_text_that_no_encoding_has_costs_its_own_record(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with trace.written_to(folder):
        write("first")
        write("\ud800")
        write("last")
    (log,) = folder.iterdir()
    assert written(log) == ["first", "last"]
    assert "a told record is lost" in capfd.readouterr().err


@has_own_file
def test_a_fork_finds_no_thread_and_both_write_on(folder: Path, recwarn: Any) -> None:
    with trace.written_to(folder):
        for number in range(10):
            write(number)
        assert is_writing()
        child = os.fork()  # Python warns if there is a thread
        if not child:
            for number in range(10, 20):
                write(number)
            trace.settle()
            os._exit(0)
        for number in range(20, 30):
            write(number)
        assert os.waitpid(child, 0)[1] == 0
    logs = {tuple(written(log)) for log in folder.iterdir()}
    assert logs == {
        tuple(str(number) for number in (*range(10), *range(20, 30))),
        tuple(str(number) for number in range(10, 20)),
    }
    assert not [found for found in recwarn if "fork" in str(found.message)]


@has_own_file
def test_a_fork_waits_a_moment_for_storage_that_hangs(
    folder: Path, pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, writer = pipe
    monkeypatch.setattr(slow_storage, "FORK_WAITS", 0.1)
    with trace.written_to(folder) as handler:
        write("first")
        trace.settle()
        write_into(handler, writer)
        write(MUCH * 4)
        child = os.fork()
        if not child:
            write("child")
            trace.settle()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        write("last")
        threading.Timer(0.1, trace.settle).start()
        found = read_all(reader)
    # The parent's goes on where it was, in order, and the child has a file of its own.
    assert found.endswith(b"\tlast\n")
    assert b"child" not in found
    assert sorted(written(log) for log in folder.iterdir()) == [["child"], ["first"]]


def test_a_handler_of_a_signal_may_record(folder: Path) -> None:
    before = signal.signal(signal.SIGALRM, lambda *_: write("signal"))
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    try:
        with trace.written_to(folder):
            for number in range(2_000):
                write(number)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    # One that comes while the file is being opened has a file of its own.
    found = [text for log in folder.iterdir() for text in written(log)]
    assert "signal" in found
    assert [text for text in found if text != "signal"] == [str(number) for number in range(2_000)]


WAITING = """
import os, signal, sys, threading
from pathlib import Path
from ca_engine import slow_storage, trace
slow_storage.FREE_SECONDS, slow_storage.SHARE = -1.0, 0.0
with trace.written_to(Path(sys.argv[1])):
    for text in ("first", "second"):
        trace.artifact("told", lambda: text, encoding="string")
    print([thread.name for thread in threading.enumerate()])
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    os.kill(os.getpid(), signal.SIGUSR1)
    print(signal.sigwait({signal.SIGUSR1}).name)
"""


def test_no_signal_finds_the_thread(tmp_path: Path) -> None:
    """A program that blocks one and waits for it is not killed by it in our thread.

    In a process of its own: a thread of OpenMP's, which earlier tests may have started, is one
    that a signal finds.
    """
    script = tmp_path / "waiting.py"
    script.write_text(WAITING)
    command = [Path(sys.executable), script, tmp_path / "trace"]
    done = warm.python().run(command, env={**os.environ}, cwd=tmp_path)
    assert done.stdout.split("\n") == [f"['MainThread', '{THREAD}']", "SIGUSR1", ""], done.stderr


def test_where_no_thread_can_start_the_program_writes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with trace.written_to(folder):
        for number in range(10):
            write(number)
        monkeypatch.setattr(threading.Thread, "start", refuse)
        trace.settle()
        for number in range(10, 20):
            write(number)
    (log,) = folder.iterdir()
    assert written(log) == [str(number) for number in range(20)]


def test_threads_of_the_program_write_whole_records(folder: Path) -> None:
    def work(name: str) -> None:
        for number in range(300):
            write(f"{name} {number}")
            if not number % 100:
                trace.settle()

    with trace.written_to(folder):
        threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    (log,) = folder.iterdir()
    found = written(log)
    for name in "abcd":
        assert [text for text in found if text[0] == name] == [f"{name} {n}" for n in range(300)]


def test_another_trace_beside_it_is_not_changed(folder: Path, tmp_path: Path) -> None:
    with trace.written_to(folder):
        handler = structured_trace.new_handler(str(tmp_path / "torchs"))
        structured_trace.LOGGER.addHandler(handler)
        try:
            for number in range(10):
                write(number)
            (log,) = (tmp_path / "torchs").iterdir()
            assert written(log) == [str(number) for number in range(10)]
        finally:
            structured_trace.LOGGER.removeHandler(handler)
            handler.close()
