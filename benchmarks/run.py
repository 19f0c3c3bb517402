"""Prints the figures of docs/design.md as ratios measured in this one run.

``python -m benchmarks.run [capture|hits|commands|reading ...]``; all of them by default.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import capture, commands, hits, reading

console = Console(width=110)


def bench_capture() -> None:
    table = Table(
        "capture", "FX nodes", "torch, CPU s", "ca, CPU s", "torch ÷ ca", "promised", "recorded"
    )
    for case in capture.CASES:
        row = capture.measure(case)
        promised = "≥ 10" if case in capture.PROMISED else "≥ 1"
        table.add_row(
            case,
            f"{row['nodes']:,.0f}",
            f"{row['torch']:.3f}",
            f"{row['ca']:.3f}",
            f"{row['ratio']:.1f}",
            promised,
            f"{row['recorded_ratio']:.1f}",
        )
    console.print(table)


def bench_hits() -> None:
    table = Table("hit", "bare, µs", "recorded, µs", "added, µs", "added, %", "promised")
    for layers in (10, 700):
        row = hits.measure(layers)
        table.add_row(
            f"MLP, {layers} layers",
            f"{row['bare'] * 1e6:.0f}",
            f"{row['recorded'] * 1e6:.0f}",
            f"{row['added'] * 1e6:.1f}",
            f"{row['added'] / row['bare']:.1%}",
            "≤ 20 µs or 1 %",
        )
    console.print(table)


def bench_commands() -> None:
    table = Table("command", "wall s", "tlparse, wall s", "tlparse ÷ ca", "promised")
    table.add_row("ca --help", f"{commands.seconds(commands.CA, '--help'):.2f}", "", "", "≤ 0.3 s")
    for megabytes, promised in ((1, "≤ 0.7 s"), (50, "ratio ≥ 10")):
        with tempfile.TemporaryDirectory() as folder:
            log = commands.write_log(Path(folder), megabytes)
            repeats = 5 if megabytes == 1 else 1
            ours = commands.seconds(commands.CA, "explain-recompiles", log, repeats=repeats)
            theirs = commands.seconds(
                commands.TLPARSE,
                log,
                "-o",
                Path(folder) / "tlparse",
                "--overwrite",
                "--no-browser",
                repeats=repeats,
            )
            table.add_row(
                f"ca explain-recompiles, {megabytes} MB",
                f"{ours:.2f}",
                f"{theirs:.2f}",
                f"{theirs / ours:.1f}",
                promised,
            )
    console.print(table)


def bench_reading() -> None:
    table = Table("500 MB log", "wall s", "CPU s", "peak MiB", "tlparse ÷ ca", "promised")
    with tempfile.TemporaryDirectory() as folder:
        log = reading.write(Path(folder), 500)
        ours = reading.explain(log)
        theirs = reading.tlparse(log, Path(folder) / "tlparse")
    table.add_row(
        "ca explain-recompiles",
        f"{ours.seconds:.1f}",
        f"{ours.cpu:.1f}",
        f"{ours.peak / 2**20:.0f}",
        f"{theirs.seconds / ours.seconds:.1f}",
        "≤ 15 s, ≤ 200 MiB, ratio ≥ 10",
    )
    peak = f"{theirs.peak / 2**20:.0f}"
    table.add_row("tlparse", f"{theirs.seconds:.1f}", f"{theirs.cpu:.1f}", peak, "", "")
    console.print(table)


BENCHES = {
    "capture": bench_capture,
    "hits": bench_hits,
    "commands": bench_commands,
    "reading": bench_reading,
}


def main() -> None:
    for name in sys.argv[1:] or BENCHES:
        BENCHES[name]()


if __name__ == "__main__":
    main()
