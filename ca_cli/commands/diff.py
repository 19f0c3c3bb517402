"""``ca diff``: what is new, gone, moved or slower between two runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ca_cli import formats, gating, inputs, options, writing
from ca_cli.errors import GATE_FAILED, UsageError
from ca_cli.options import command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.comparison.runs import Limits, RunComparison, Side
    from ca_reports.gates.config import GateSettings

_NEW, _SLOWER = "new", "slower"


@command(cls=formats.command_writing("outcome"))
def diff(
    base: Annotated[
        str, typer.Argument(metavar="BASE", help="A run, a log, or a baseline: before.")
    ],
    head: Annotated[str | None, inputs.run_argument("The same: after.", metavar="HEAD")] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on",
            metavar="WHAT",
            help="Exit code 1 for `new` findings, or if it is `slower:10%`; repeat for both.",
        ),
    ] = None,
    config: gating.Config = None,
    format: formats.Chosen = "terminal",
    output: options.Output = None,
    force: options.Force = False,
    jobs: inputs.Jobs = None,
    scheduler: inputs.Scheduler = None,
) -> None:
    """Compare two runs, or two baselines.

    What differs in findings, captures, seconds and graphs. Findings are recognised by code,
    function and key, wherever their line is now. Seconds are told with the spread within
    the runs, and called slower only beyond it. Of the settings (see `ca check`), ignore and
    per-path-ignores hold here.

    \b
    ca diff ca-runs/before ca-runs/after
    ca diff main.run pr.run --fail-on new --fail-on slower:10% --format markdown
    """  # noqa: D301 -- the character, which keeps these lines apart
    chosen = formats.find(format, "outcome")
    if output is not None:
        writing.refuse(output, force=force)
    limits = parse_fail_on(fail_on or [])
    settings = gating.Flags(config=config).settings()
    newest = head if head is not None else inputs.resolve(None)[0]
    if head is None and Path(newest).resolve() == Path(base).resolve():
        raise UsageError(f"{base} is the newest run: name another one to compare it with")
    sides = [_side(name, settings, jobs, scheduler) for name in (base, newest)]
    from ca_reports.comparison.runs import Limits, compare, hold

    found = compare(*sides)
    if limits != Limits():
        _refuse_nothing(found)
    if limits.slower is not None and not found.runs:
        raise UsageError("--fail-on slower needs two runs: a baseline has no times")
    outcome = hold(found, limits)
    formats.emit(chosen, "outcome", outcome, output, force=force)
    formats.summarize("outcome", outcome)
    if outcome.failures:
        raise typer.Exit(GATE_FAILED)


def parse_fail_on(wanted: Sequence[str]) -> Limits:
    """Return what fails. Raises `UsageError` for anything but ``new`` and ``slower:10%``."""
    from ca_reports.comparison.runs import Limits
    from ca_reports.gates.config import share_of

    limits = Limits()
    for part in (part.strip() for text in wanted for part in text.split(",")):
        what, colon, value = part.partition(":")
        if what == _NEW and not colon:
            limits = replace(limits, new=True)
            continue
        share = share_of(value) if what == _SLOWER and colon else None
        if share is None or not 0 <= share < float("inf"):
            raise UsageError(f"--fail-on {part}: give new, or slower:10%")
        limits = replace(limits, slower=share)
    return limits


def _side(name: str, settings: GateSettings, jobs: int | None, scheduler: str | None) -> Side:
    from ca_reports.comparison.runs import Side
    from ca_reports.gates import baseline, gate
    from ca_reports.logs import names

    shown = names.shown(name)
    if baseline.is_baseline(Path(name)):
        return Side(shown, baseline.single(baseline.read(Path(name))))
    analysis = inputs.load_analysis([name], jobs, scheduler, cache_keys=True)
    # Everything is told but what is ignored: budgets and `select` are the gate's.
    every = replace(settings, budgets={}, select=None)
    return Side(shown, gate.findings_to_know(gate.judge(analysis, every)), analysis)


def _refuse_nothing(found: RunComparison) -> None:
    """Raise `UsageError` if HEAD recorded nothing: no finding of it says nothing, then."""
    from ca_reports.gates.gate import vacuous

    why = None if found.head.analysis is None else vacuous(found.head.analysis)
    if why is not None:
        raise UsageError(f"nothing to judge in {found.head.name}: {why}")
