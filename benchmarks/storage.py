"""What a training waits for storage on which each write takes 100 or 500 ms."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from benchmarks.commands import CA

SECONDS_A_WRITE = (0.1, 0.5)
# Before it is known that the storage is slow, and when the interpreter ends.
MOST_WAITED_FOR = 3

# Six captures, of which each writes tens of records, and 600 backwards.
SCRIPT = """\
import json, sys, time, torch
torch._dynamo.config.compiled_autograd = True
model = torch.nn.Sequential(*(torch.nn.Linear(32, 32) for _ in range(6)))
operations = [torch.sin, torch.cos, torch.tanh, torch.sigmoid, torch.exp, torch.relu]

@torch.compile(backend="eager")
def backward(loss):
    loss.backward()

took = []
for step in range(600):
    begin = time.perf_counter()
    backward(operations[step // 100](model(torch.randn(8, 32))).sum())
    time.sleep(0.01)
    took.append(time.perf_counter() - begin)
json.dump(took, open(sys.argv[1], "w"))
"""


@dataclass(frozen=True)
class Waited:
    """Seconds of each step; slow writes that the main thread waited for, and that others did."""

    steps: list[float]
    by_main: int
    by_others: int

    @property
    def total(self) -> float:
        return sum(self.steps)

    def percentile(self, share: float) -> float:
        return sorted(self.steps)[int(share * len(self.steps))]


def preload(folder: Path) -> Path:
    """Compile ``slow_write.c`` in ``folder``. Raises OSError without a C compiler."""
    library = folder / "slow_write.so"
    source = Path(__file__).with_name("slow_write.c")
    command = ["cc", "-O2", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"]
    subprocess.run(command, check=True)
    return library


def slowed(library: Path, run: Path, seconds: float) -> dict[str, str]:
    """Return an environment in which each write into traces of ``run`` takes so many seconds."""
    return {
        "LD_PRELOAD": str(library),
        "SLOW_BELOW": f"{run.absolute()}/trace/",
        "SLOW_SECONDS": str(seconds),
        "SLOW_COUNTS": f"{run.absolute()}.counts",
    }


def counts(run: Path) -> tuple[int, int]:
    """Slow writes of ``run``'s one process: those of its main thread, those of others."""
    by_main, by_others = Path(f"{run}.counts").read_text().split()
    return int(by_main), int(by_others)


def measure(folder: Path, seconds: float) -> Waited:
    """Train under ``ca run`` in ``folder``, which is empty, with writes that take ``seconds``."""
    script, run, result = folder / "train.py", folder / "run", folder / "steps.json"
    script.write_text(SCRIPT)
    command = [CA, "run", "--quiet", "--no-report", "-o", run, script, result]
    slow = slowed(preload(folder), run, seconds)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", **slow}
    subprocess.run([str(part) for part in command], check=True, env=environment)
    return Waited(json.loads(result.read_text()), *counts(run))
