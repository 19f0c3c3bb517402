"""A finding and a test's numbers as the terminal and a failing test show them."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from ca_reports.output import advice
from ca_reports.sentences.places import shown_place
from ca_reports.words.numbers import counted, duration

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.causes.findings import Finding
    from ca_reports.run.model import Run

WIDTH = 100
NOTHING_COMPILED = (
    "ca: this test compiled nothing that its limits are of, so they say nothing: what an earlier "
    "test compiled is in Dynamo's cache until torch.compiler.reset(), and compiled autograd is on "
    "only inside `ca_engine.enable(torch.compile)`, or where "
    "torch._dynamo.config.compiled_autograd is True and backward is called in compiled code"
)


def finding(found: Finding, run: Run, folder: Path) -> str:
    """Return a finding in a few lines: what, where, when, what it cost, what to do."""
    lines = _wrapped(f"  {found.code} ", found.message)
    if found.location is not None:
        where = shown_place(found.location, str(folder))
        lines.append(f"        {where}  {found.location.code}".rstrip())
    lines += [f"        {line}" for line in (advice.when(found), advice.cost(found, run)) if line]
    return "\n".join([*lines, *_wrapped(f"        {advice.fix_label(found)}: ", found.fix)])


def numbers(outcome: dict[str, Any]) -> str:
    """Return ``3 captures (2 recaptures); 1 Dynamo recompile; 1.2 s lost``.

    Of a test that captured no backward ``2 compiles; 1 Dynamo recompile; 3 graph breaks``.
    """
    first = "captures" if outcome["captures"] or not outcome["compiles"] else "compiles"
    parts = [counted(outcome[first], first.removesuffix("s"))]
    if outcome["recaptures"]:
        parts[0] += f" ({counted(outcome['recaptures'], 'recapture')})"
    if outcome["recompiles"]:
        parts.append(counted(outcome["recompiles"], "Dynamo recompile"))
    if outcome["graph_breaks"]:
        parts.append(counted(outcome["graph_breaks"], "graph break"))
    if outcome["seconds_lost"]:
        parts.append(f"{duration(outcome['seconds_lost'])} lost")
    return "; ".join(parts)


def _wrapped(head: str, text: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=head, subsequent_indent=" " * 8, break_on_hyphens=False
    )
