"""Run all parts, each in a process of its own, and write one report.

``python -m tests.gpu [--device cpu] [--quick] [--output DIR] [PART ...]``. Ends with 1 if
anything failed.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from tests.gpu import report
from tests.gpu.part import run_part
from tests.gpu.result import TURNS, Result, Settings, read

ROOT = Path(__file__).resolve().parents[2]
# What proves comes before what measures: a run that is cut short has shown the more important.
PROVING = (
    "machine",
    "training",
    "lowering",
    "background",
    "cudagraphs",
    "distributed",
    "engine_tests",
    "samples",
)
MEASURING = (
    "hits",
    "memory",
    "gpt",
    "capture",
    "recompile",
)
PARTS = PROVING + MEASURING
# Parts of which shares run side by side, where parts do: ``training/inductor/1``. Those that
# compile kernels take the programs in turns.
SHARES: dict[str, tuple[str, ...]] = {
    "training": (
        "eager",
        "aot_eager",
        *(
            f"{backend}/{turn}"
            for backend in ("inductor", "reduce-overhead")
            for turn in range(TURNS)
        ),
    ),
    "lowering": ("eager", "aot_eager", *(f"inductor/{turn}" for turn in range(TURNS))),
}
# Beside a GPU with so many cores parts that prove run side by side: each keeps one of them busy,
# and the GPU idle. What measures runs alone.
ENOUGH_CORES = 8
# Seconds for all parts, whole and quick, and on the CPU, where only the harness is tried.
LIMIT, QUICK_LIMIT, CPU_LIMIT = 25 * 60, 5 * 60, 2 * 60


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.gpu")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--output", type=Path, default=Path("build/gpu"))
    parser.add_argument("--minutes", type=float, default=0, help="for all parts together")
    given = parser.parse_args()
    if unknown := {part.partition("/")[0] for part in given.parts} - set(PARTS):
        parser.error(f"no part {min(unknown)!r}: there are {', '.join(PARTS)}")
    settings = Settings(given.device, given.quick)
    source = [str(ROOT), str(ROOT / "engine"), str(ROOT / "reports")]
    sys.path[:0] = source
    path = [*source, *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(path)  # of what parts start
    given.output.mkdir(parents=True, exist_ok=True)
    limit = given.minutes * 60 or allowed(settings)
    results = run_all(given.parts or PARTS, settings, given.output, limit)
    sys.stdout.write(f"{given.output / 'report.md'}\n")
    return 1 if any(result.status == "failed" for result in results) else 0


def allowed(settings: Settings) -> float:
    """Seconds for all parts."""
    if not settings.is_cuda:
        return CPU_LIMIT
    return QUICK_LIMIT if settings.quick else LIMIT


def run_all(
    parts: list[str] | tuple[str, ...], settings: Settings, output: Path, limit: float
) -> list[Result]:
    begin = time.monotonic()
    done: dict[str, Result] = {}

    def one(part: str) -> Result:
        left = limit - (time.monotonic() - begin)
        if left < 5:
            return Result(part, left_out=f"the {limit / 60:.0f} minutes are over")
        return run_apart(part, settings, left)

    def tell(result: Result) -> None:
        done[result.part] = result
        sys.stdout.write(f"{result.part:<14}{result.status:<10}{result.seconds:5.0f} s  ")
        sys.stdout.write(f"{result.left_out or result.error.strip().rpartition(chr(10))[2]}\n")
        sys.stdout.flush()
        in_order = [done[part] for part in parts if part in done]
        report.write(output, in_order, settings, time.monotonic() - begin)

    if runs_beside(settings):
        parts = [share for part in parts for share in shares(part)]
    beside = [part for part in parts if of_part(part) in PROVING and runs_beside(settings)]
    with ThreadPoolExecutor(max(1, len(beside))) as threads:
        for finished in as_completed([threads.submit(one, part) for part in beside]):
            tell(finished.result())
    for part in parts:
        if part not in done:
            tell(one(part))
    return [done[part] for part in parts]


def shares(part: str) -> list[str]:
    """Return what of a part runs side by side."""
    return [f"{part}/{share}" for share in SHARES.get(part, ())] or [part]


def of_part(share: str) -> str:
    return share.partition("/")[0]


def runs_beside(settings: Settings) -> bool:
    """Return whether parts that prove run side by side."""
    return settings.is_cuda and (os.cpu_count() or 1) >= ENOUGH_CORES


def run_apart(part: str, settings: Settings, limit: float) -> Result:
    """One part in a process of its own: what it crashes or leaves behind is its own matter."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        answer, output = Path(folder) / "result.json", Path(folder) / "output.txt"
        if not settings.is_cuda:
            importlib.import_module("torch._dynamo")
        # A new interpreter; on the CPU a fork, which finds torch imported.
        context: Any = multiprocessing.get_context("spawn" if settings.is_cuda else "fork")
        process = context.Process(target=run_part, args=(part, settings, answer, output))
        process.start()
        process.join(limit)
        error = ""
        if process.exitcode is None:
            process.kill()
            process.join()
            error = f"not done after {limit:.0f} s"
        elif process.exitcode:
            said = output.read_text("utf-8", "replace") if output.exists() else ""
            error = f"{said.strip()[-3000:]}\nended with {process.exitcode}"
        result = read(answer) if answer.exists() else Result(part)
        result.error = result.error or error
    result.seconds = time.monotonic() - begin
    return result


if __name__ == "__main__":
    sys.exit(main())
