"""A log that is read in pieces, each looked through ahead in this process."""

from __future__ import annotations

import random
from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING, Any

import pytest

from ca_reports.run.build.bounds import Bounds
from ca_reports.run.gather import ahead
from ca_reports.run.gather.filereading import FileResult, read_file
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


def changed(record: bytes, choice: random.Random) -> bytes:
    at = choice.randrange(len(record))
    return record[:at] + bytes([choice.randrange(256)]) + record[at + 1 :]
