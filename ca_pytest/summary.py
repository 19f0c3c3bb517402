"""The section of the terminal summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ca_pytest import words
from ca_reports.words.numbers import and_more, counted

if TYPE_CHECKING:
    from collections.abc import Sequence


def write(
    terminal: Any, outcomes: Sequence[tuple[str, dict[str, Any]]], output: str | None
) -> None:
    """Every test that captured or recompiled, what and why; the others are counted."""
    terminal.section("ca: captures and recompiles", sep="=", blue=True)
    shown = [
        (nodeid, outcome)
        for nodeid, outcome in outcomes
        if outcome["captures"] or outcome["compiles"] or outcome["findings"]
    ]
    for nodeid, outcome in shown:
        again = outcome["recaptures"] or outcome["recompiles"]
        terminal.write_line(f"{nodeid}  {words.numbers(outcome)}", bold=bool(again))
        for found in outcome["findings"]:
            terminal.write_line(found)
        if outcome["findings_left_out"]:
            terminal.write_line(f"  {and_more(outcome['findings_left_out'], 'finding')}")
    recorded = counted(len(outcomes), "test")
    # Of a session without compiled autograd nothing is said of backwards.
    did, again, what = "captures", "recaptures", "captured a backward"
    if not any(outcome["captures"] for _, outcome in outcomes):
        did, again, what = "compiles", "recompiles", "compiled a forward"
    once = sum(bool(outcome[did]) for _, outcome in outcomes)
    repeated = sum(bool(outcome[again]) for _, outcome in outcomes)
    terminal.write_line(f"{recorded} recorded: {once} {what}, {repeated} more than once.")
    if output is not None:
        terminal.write_line(f"ca explain-recompiles {output}/TEST")
    elif shown:
        terminal.write_line("--ca-output DIR keeps the records and writes an HTML report of each.")
