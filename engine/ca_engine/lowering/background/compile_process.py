"""The process that compiles, from inside.

Jobs come in on standard input, each behind its length and number; answers go out where standard
output was, a line of JSON each. When the process that started it is gone, so is this one.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import sys
import threading
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from time import perf_counter
from typing import Any, BinaryIO

HEADER = struct.Struct("<QQ")  # length, number
# A process that has nothing to do keeps torch and inductor in memory; another one is started
# when there is something to do again.
IDLE_SECONDS = 120.0
# The exit code where it has allocated what it may: a process that met that is not used again.
NO_MEMORY = 75


def main() -> None:
    """Compiles what comes in until the other end is closed."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what compilers print is no answer
    jobs: Queue[tuple[int, bytes]] = Queue()
    threading.Thread(target=_receive, args=(sys.stdin.buffer, jobs), daemon=True).start()
    with suppress(OSError):
        os.nice(int(sys.argv[1]))
    _bound_memory(int(sys.argv[2]))
    with suppress(OSError):  # where memory runs out, this process ends and not the training
        Path("/proc/self/oom_score_adj").write_text("1000", "ascii")
    try:
        from ca_engine.compat import vector_instructions
    except MemoryError:
        sys.exit(NO_MEMORY)
    _answer(answers, {"is_ready": True})
    with suppress(Exception):  # without a compiler, say; a job will fail with the reason
        _answer(answers, {"vector_instructions": vector_instructions.probe()})
    while True:
        try:
            number, job = jobs.get(timeout=IDLE_SECONDS)
        except Empty:
            return
        _answer(answers, {"job": number, **_compiled(job)})


def _bound_memory(most: int) -> None:
    with suppress(ImportError, OSError, ValueError):  # no Unix, or a bound that is lower already
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def _receive(stream: BinaryIO, jobs: Queue[tuple[int, bytes]]) -> None:
    while len(header := stream.read(HEADER.size)) == HEADER.size:
        length, number = HEADER.unpack(header)
        jobs.put((number, stream.read(length)))
    # The other process is gone, and nobody waits for what is compiled now. The compilers that run
    # are in our process group.
    os.killpg(0, signal.SIGTERM)


def _answer(answers: Any, answer: dict[str, Any]) -> None:
    answers.write(json.dumps(answer) + "\n")


def _compiled(job: bytes) -> dict[str, Any]:
    from ca_engine.lowering.background import job as jobs

    begin = perf_counter()
    try:
        found = jobs.read(job).compile()
    except MemoryError:
        sys.exit(NO_MEMORY)
    except Exception as error:
        text = " ".join(str(error).split())
        return {"error": f"{type(error).__name__}: {text[:1000]}"}
    return {**found, "seconds": perf_counter() - begin}
