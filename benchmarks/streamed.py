"""20 GB, which few disks have room for, through a pipe into ``ca explain-recompiles``."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks import logs
from benchmarks.commands import CA
from benchmarks.watching import cpu, memory

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MEGABYTES, SAMPLES = 20_000, 10
MOST_MEMORY = 300 << 20
# CPU seconds of the last tenth over those of the median one.
MOST_SLOWER = 1.3


@dataclass(frozen=True)
class Sample:
    """After ``size`` bytes: CPU seconds of the reader since the sample before, and its memory."""

    size: int
    cpu: float
    memory: int


def measure(folder: Path, megabytes: int = MEGABYTES, samples: int = SAMPLES) -> Iterator[Sample]:
    """Stream a log of so many megabytes (10**6 bytes), each repetition with captures of its own.

    Raises CalledProcessError if it is not read.
    """
    trace = logs.record_once(folder)
    command = [str(CA), "explain-recompiles", "-"]
    step = megabytes * 1_000_000 // samples
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as reader:
        assert reader.stdin is not None
        size, used = 0, 0.0
        for data in logs.repeated(trace, megabytes):
            reader.stdin.write(data)
            before, size = size, size + len(data)
            # A pipe holds 64 KB: the reader has read nearly all that was written.
            if before // step < size // step:
                now = cpu(reader.pid)
                yield Sample(size, now - used, memory(reader.pid))
                used = now
        reader.stdin.close()
        if reader.wait():
            raise subprocess.CalledProcessError(reader.returncode, command)
