"""Large structured traces for the reading benchmarks: a real recorded run, many times over.

Every repetition gets capture, frame and file-name ids of its own, so that readers find as
many captures and compiles as a job of that size has, not the same few again and again.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

CA = Path(sys.executable).with_name("ca")

# A few captures, a size that Dynamo compiles again, a compiled forward with inductor's code:
# the kinds of record that fill the traces of real jobs.
SCRIPT = """\
import torch
torch._dynamo.config.compiled_autograd = True
layers = [torch.nn.Linear(32, 32) for _ in range(12)]
model = torch.nn.Sequential(*layers)
forward = torch.compile(model, backend="aot_eager")
for size in (8, 16, 8, 24):
    loss = forward(torch.randn(size, 32)).relu().sum()
    torch.compile(lambda: loss.backward(), backend="aot_eager")()
for op in (torch.sin, torch.cos):
    loss = op(model(torch.randn(4, 32))).sum()
    torch.compile(lambda: loss.backward(), backend="eager")()
"""

_ID = re.compile(rb'("(?:compiled_autograd_id|frame_id)": )(\d+)')
_HEAD = re.compile(rb"^[VIWEC]\d{4} ")


def record_once(folder: Path) -> Path:
    """Run ``SCRIPT`` under ``ca run`` in ``folder`` and return its trace."""
    script = folder / "job.py"
    script.write_text(SCRIPT)
    run = folder / "recorded"
    subprocess.run(
        [str(CA), "run", "--quiet", "--no-report", "-o", str(run), str(script)], check=True
    )
    (trace,) = (run / "trace").glob("*.log")
    return trace


def write_log(trace: Path, log: Path, megabytes: int) -> Path:
    """Repeat ``trace`` in ``log`` until it has at least so many megabytes (10**6 bytes)."""
    lines = trace.read_bytes().splitlines(keepends=True)
    step = 1 + max(
        (int(found[2]) for line in lines if _HEAD.match(line) for found in _ID.finditer(line)),
        default=0,
    )
    # The last records tell the end of the process; they come once, as in a real log.
    with log.open("wb") as file:
        repetition = 0
        while file.tell() < megabytes * 1_000_000:
            file.writelines(_renumbered(lines, repetition * step))
            repetition += 1
    return log


def _renumbered(lines: list[bytes], add: int) -> Iterator[bytes]:
    for line in lines:
        if add and _HEAD.match(line):
            yield _ID.sub(lambda found: found[1] + str(int(found[2]) + add).encode(), line)
        else:
            yield line
