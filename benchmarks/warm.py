"""A second start from `ca run --cache FILE` on a machine with empty caches, against the first one.

Also what recording the keys of caches takes: of the trace, and of the CPU time of the process.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import ca_reports
from benchmarks.commands import CA

# Of the seconds that the first start compiled.
SHARE = 0.25
# Of the trace, for each graph; and of the CPU seconds of a cold start.
BYTES_A_GRAPH, SHARE_OF_START = 10_000, 0.01

# What the recorder does with keys is timed where it does it: two starts differ by more.
SCRIPT = """\
import json, sys, time, torch
from benchmarks.models import gpt
from ca_engine import cache_keys
from torch._functorch._aot_autograd import autograd_cache

took = 0.0
def timed(owner, name):
    stock = getattr(owner, name)
    def call(*arguments, **named):
        global took
        begin = time.thread_time()
        try:
            return stock(*arguments, **named)
        finally:
            took += time.thread_time() - begin
    setattr(owner, name, call)
timed(cache_keys.ShortenedKeys, "shortened")
timed(cache_keys, "shortened_event")
timed(autograd_cache, "_get_debug_lines_for_cache_key")

begin = time.process_time()
torch.compile(gpt(int(sys.argv[1]), compiled_forward=True))().backward()
json.dump([took, time.process_time() - begin], open(sys.argv[2], "w"))
"""


@dataclass(frozen=True)
class Start:
    """One start: ``seconds`` compiling, ``bytes`` of the trace about keys, ``graphs`` looked up.

    ``share`` is what recording the keys took of the process's CPU time.
    """

    seconds: float
    bytes: int
    graphs: int
    share: float


def starts(folder: Path, layers: int = 2) -> tuple[Start, Start]:
    """Start a GPT cold, and again with empty caches from the file that the first one wrote."""
    (folder / "train.py").write_text(SCRIPT)
    return _start(folder, "cold", layers), _start(folder, "warm", layers)


def _start(folder: Path, name: str, layers: int) -> Start:
    environment = os.environ | {
        "TORCHINDUCTOR_CACHE_DIR": str(folder / f"{name}-cache"),
        "PYTHONPATH": str(Path(__file__).parents[1]),
    }
    command = [
        str(CA), "run", "--quiet", "--no-report", "--cache", "file", "-o", name,
        "train.py", str(layers), f"{name}.json",
    ]  # fmt: skip
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    run = ca_reports.load([folder / name])
    took, whole = json.loads((folder / f"{name}.json").read_text())
    (trace,) = (folder / name / "trace").iterdir()
    return Start(
        sum(compiled.seconds or 0.0 for compiled in run.compiles),
        sum(len(line) for line in trace.read_bytes().split(b"\n") if b'"ca_components"' in line),
        sum(len(process.cache_lookups) for process in run.processes),
        took / whole,
    )
