"""Wall seconds of whole commands, as a user waits for them."""

from __future__ import annotations

import statistics
import subprocess
import sys
from pathlib import Path
from time import perf_counter

CA = Path(sys.executable).with_name("ca")
TLPARSE = Path(sys.executable).with_name("tlparse")


def seconds(*command: str | Path, repeats: int = 5) -> float:
    """Median over ``repeats`` runs after a warm-up. Raises CalledProcessError on failure."""
    taken = []
    for _ in range(repeats + 1):
        start = perf_counter()
        subprocess.run([str(part) for part in command], check=True, capture_output=True)
        taken.append(perf_counter() - start)
    return statistics.median(taken[1:])


def write_log(folder: Path, megabytes: int) -> Path:
    """A structured trace of at least this size: a real small run, repeated line for line."""
    script = folder / "job.py"
    script.write_text(
        "import torch\n"
        "torch._dynamo.config.compiled_autograd = True\n"
        "x = torch.ones(4, requires_grad=True)\n"
        "for op in (torch.sin, torch.cos, torch.tan):\n"
        "    loss = op(x).sum()\n"
        "    torch.compile(lambda: loss.backward(), backend='eager')()\n"
    )
    run = folder / "run"
    subprocess.run(
        [str(CA), "run", "--quiet", "--no-report", "-o", str(run), str(script)], check=True
    )
    (trace,) = (run / "trace").glob("*.log")
    text = trace.read_bytes()
    log = folder / f"{megabytes}mb.log"
    with log.open("wb") as file:
        while file.tell() < megabytes * 1_000_000:
            file.write(text)
    return log
