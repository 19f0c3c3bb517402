"""Judge, by torch alone, what `ca fix --verify` offers for programs of the corpus.

    python -m tests.corpus.verified [NAME …] [--unseen] [--recorded FOLDER]

`tests.corpus.remedies` judges every patch that is made; this runs the command that proves them, and
applies what it offers in the order in which it does. Minutes for each program.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.corpus import counts, diffs, golden, remedies, score, truth

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass
class Verified:
    """Holds what is offered for a program, what torch counts of each, and what is refused."""

    program: truth.Program
    outcomes: list[remedies.Outcome] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def measure(program: truth.Program, folder: Path, kept: counts.Counts) -> Verified:
    """Have `ca` prove the patches of a program, whose run is below ``folder``, and count each.

    Raises RuntimeError if `ca` or the program fails.
    """
    report = _fixes(program, folder)
    found = Verified(program)
    for one in (*report["refused"], *report["failed"]):
        why = one.get("reason") or f"tried and failed: {one['proof']['failure']}"
        found.refused.append(f"{one['finding']['code']}: {why}")
    texts = dict(program.sources)
    first = before = kept.count(program, texts) if report["fixes"] else {}
    for fix in report["fixes"]:
        texts = diffs.apply(texts, fix["diff"].splitlines())
        what = f"{fix['finding']['code']}: {fix['what']}"
        remedy = remedies.Remedy("patch", what, dict(texts), fix["intention"] or "")
        outcome = remedies.Outcome(remedy, before, kept.count(program, texts))
        assert outcome.after is not None
        outcome.faults += remedies.faults(before, outcome.after, remedy)
        if outcome.verdict == "no better":  # one before it did the same
            alone = diffs.apply(program.sources, fix["diff"].splitlines())
            outcome.beside.append((first, kept.count(program, alone)))
        found.outcomes.append(outcome)
        before = outcome.after
    return found


def _fixes(program: truth.Program, folder: Path) -> dict[str, Any]:
    work = score.recorded(program, folder)
    asked: list[str | Path] = [score.CA, "fix", "run", "--verify", "--yes", "--format", "json"]
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(
            asked, cwd=work, env=score.environment(Path(cache)), capture_output=True, text=True
        )
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr[-2000:])
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def table(found: Iterable[Verified]) -> str:
    """Each fix that is offered, and what became of it."""
    rows = ["| program | fix | before | after | verdict |", "|---|---|---|---|---|"]
    for one in found:
        for outcome in one.outcomes:
            counted = remedies.shown(outcome.before), remedies.shown(outcome.after)
            rows.append(golden.row(one.program.name, outcome.remedy.what, *counted, outcome.told))
        rows += [f"| {one.program.name} | – | | | {text} |" for text in one.refused]
    return "\n".join(rows)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.corpus.verified", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--unseen", action="store_true", help="the unseen programs")
    parser.add_argument("--recorded", type=Path, metavar="FOLDER", help="keep the runs here")
    arguments = parser.parse_args()
    kept, found = counts.read(), []
    with tempfile.TemporaryDirectory() as passing:
        for program in [*truth.programs(), *truth.samples()]:
            if not program.causes or program.unseen is not arguments.unseen:
                continue
            if arguments.names and program.name not in arguments.names:
                continue
            try:
                found.append(measure(program, arguments.recorded or Path(passing), kept))
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                print(f"{program.name}: {error}", file=sys.stderr, flush=True)
    print(table(found))
    return int(any(one.verdict != "right" for each in found for one in each.outcomes))


if __name__ == "__main__":
    sys.exit(main())
