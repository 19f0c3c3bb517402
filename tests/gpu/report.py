"""The report of a run of the harness, in Markdown and JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.gpu.result import Figure, Result, Settings


def write(folder: Path, results: Sequence[Result], settings: Settings, seconds: float) -> None:
    """Write ``report.json`` and ``report.md``, anew after each part: a run may be cut short."""
    document = {
        "device": settings.device,
        "quick": settings.quick,
        "seconds": round(seconds, 1),
        "parts": [result.as_json() for result in results],
    }
    (folder / "report.json").write_text(json.dumps(document, indent=1) + "\n", "utf-8")
    (folder / "report.md").write_text(markdown(results, settings, seconds), "utf-8")


def markdown(results: Sequence[Result], settings: Settings, seconds: float) -> str:
    checks = [check for result in results for check in result.checks]
    counts = [
        f"{sum(check.status == status for check in checks)} {status}"
        for status in ("passed", "failed", "left out")
    ]
    quick = ", quick" if settings.quick else ""
    lines = [
        f"# `ca` on {settings.device}{quick}",
        "",
        f"{len(results)} parts in {seconds:.0f} s. Checks: {', '.join(counts)}.",
        "",
        "| part | | s | |",
        "|---|---|---|---|",
        *(
            f"| {result.part} | {result.status} | {result.seconds:.0f} | "
            f"{_cell(result.left_out or _last_line(result.error))} |"
            for result in results
        ),
    ]
    for result in results:
        lines += ["", f"## {result.part}", "", *_part(result)]
    return "\n".join(lines) + "\n"


def _part(result: Result) -> list[str]:
    lines: list[str] = []
    if result.left_out:
        lines += [f"Left out: {result.left_out}.", ""]
    if result.error:
        lines += ["```", result.error.strip(), "```", ""]
    if result.facts:
        lines += ["| | |", "|---|---|"]
        lines += [f"| {name} | {_cell(value)} |" for name, value in result.facts.items()]
        lines.append("")
    if result.checks:
        lines += ["| check | | |", "|---|---|---|"]
        lines += [
            f"| {check.name} | {check.status} | {_cell(check.detail)} |" for check in result.checks
        ]
        lines.append("")
    if result.figures:
        lines += ["| figure | ca | torch | torch ÷ ca | |", "|---|---|---|---|---|"]
        lines += [_figure(figure) for figure in result.figures]
    return lines


def _figure(figure: Figure) -> str:
    theirs, ratio = "", ""
    if figure.of_torch is not None:
        theirs = f"{figure.of_torch:.4g}"
        ratio = f"{figure.of_torch / figure.value:.2f}" if figure.value else ""
    return f"| {figure.name} | {figure.value:.4g} | {theirs} | {ratio} | {figure.unit} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _last_line(text: str) -> str:
    return text.strip().splitlines()[-1] if text.strip() else ""
