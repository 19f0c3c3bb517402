"""``ca diff``: what is new, gone, moved or slower between two runs."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ca_cli import formats, gating, inputs, step_summary, writing
from ca_cli.console import console_on
from ca_cli.errors import GATE_FAILED, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.gates.compare import Comparison, Side
    from ca_reports.gates.config import Settings

Format = Literal["terminal", "json", "markdown", "html", "sarif", "junit", "github"]
_NEW, _SLOWER = "new", "slower"


def diff(
    base: Annotated[
        str, typer.Argument(metavar="BASE", help="A run, a log, or a baseline: before.")
    ],
    head: Annotated[
        str | None,
        typer.Argument(
            metavar="HEAD", show_default="the newest run in ca-runs", help="The same: after."
        ),
    ] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on",
            metavar="WHAT",
            help="Exit code 1 for `new` findings, or if it is `slower:10%`; repeat for both.",
        ),
    ] = None,
    config: gating.Config = None,
    format: Annotated[Format, typer.Option("--format", help="What to print.")] = "terminal",
    output: writing.Output = None,
    force: writing.Force = False,
    jobs: inputs.Jobs = None,
    scheduler: inputs.Scheduler = None,
) -> None:
    """Compare two runs, or two baselines.

    What differs in findings, captures, seconds and graphs. Findings are recognised by code,
    function and message, wherever their line is now. Seconds are told with the spread within
    the runs, and called slower only beyond it. Of the settings (see `ca check`), ignore and
    per-path-ignores hold here.

    \b
    ca diff ca-runs/before ca-runs/after
    ca diff main.run pr.run --fail-on new --fail-on slower:10% --format markdown
    """  # noqa: D301 -- the character, which keeps these lines apart
    if output is not None:
        writing.refuse(output, force=force)
    limits = parse_fail_on(fail_on or [])
    settings = gating.Flags(config=config).settings()
    newest = head if head is not None else inputs.resolve(None)[0]
    sides = [_side(name, settings, jobs, scheduler) for name in (base, newest)]
    from ca_reports.gates.compare import compare

    found = compare(*sides)
    if limits:
        _refuse_nothing(found)
    failures = _failures(found, limits)
    if format == "terminal" and output is None:
        from ca_reports.render import compare_terminal

        compare_terminal.render(found, failures, console_on(sys.stdout))
    else:
        formats.write(_as_text(found, failures, format, limits), format, output, force=force)
    if step_summary.wanted() is not None:
        step_summary.append(_as_text(found, failures, "markdown", limits))
    if failures:
        raise typer.Exit(GATE_FAILED)


def parse_fail_on(wanted: Sequence[str]) -> dict[str, float]:
    """Return ``new`` and ``slower`` with their limits. Raises `UsageError` for anything else."""
    from ca_reports.gates.config import share_of

    limits: dict[str, float] = {}
    for part in (part.strip() for text in wanted for part in text.split(",")):
        what, colon, value = part.partition(":")
        if what == _NEW and not colon:
            limits[_NEW] = 0.0
            continue
        share = share_of(value) if what == _SLOWER and colon else None
        if share is None or not 0 <= share < float("inf"):
            raise UsageError(f"--fail-on {part}: give new, or slower:10%")
        limits[_SLOWER] = share
    return limits


def _side(name: str, settings: Settings, jobs: int | None, scheduler: str | None) -> Side:
    from ca_reports.gates import baseline, gate
    from ca_reports.gates.compare import Side
    from ca_reports.read import names

    shown = names.shown(name)
    if baseline.is_baseline(Path(name)):
        return Side(shown, baseline.single(baseline.read(Path(name))))
    run = inputs.load([name], jobs, scheduler)
    # Everything is told but what is ignored: budgets and `select` are the gate's.
    every = replace(settings, budgets={}, select=None)
    judged = gating.judge(run, every, with_baseline=False)
    return Side(shown, gate.findings_to_know(judged.verdict), run)


def _refuse_nothing(found: Comparison) -> None:
    """Raise `UsageError` if HEAD recorded nothing: no finding of it says nothing, then."""
    from ca_reports.gates.gate import vacuous

    why = None if found.head.run is None else vacuous(found.head.run)
    if why is not None:
        raise UsageError(f"nothing to judge in {found.head.name}: {why}")


def _failures(found: Comparison, limits: dict[str, float]) -> list[str]:
    from ca_reports.gates.baseline import Identity
    from ca_reports.gates.compare import slower
    from ca_reports.text.numbers import counted

    failures = []
    if _NEW in limits:
        # A baseline does not say how severe its findings are.
        new = [
            one
            for one in found.new
            if not isinstance(one, Identity) or one.finding.severity != "info"
        ]
        if new:
            failures.append(counted(len(new), "new finding"))
    if _SLOWER in limits:
        if not found.runs:
            raise UsageError("--fail-on slower needs two runs: a baseline has no times")
        why = slower(found, limits[_SLOWER])
        if why is not None:
            failures.append(f"slower: {why}")
    return failures


def _as_text(
    found: Comparison, failures: Sequence[str], format: Format, limits: dict[str, float]
) -> str:
    if format == "terminal":
        from ca_reports.render import compare_terminal

        buffer = io.StringIO()
        compare_terminal.render(found, failures, console_on(buffer))
        return buffer.getvalue()
    if format == "json":
        from ca_reports.render import compare_json

        return compare_json.render(found, failures)
    if format == "markdown":
        from ca_reports.render import compare_markdown

        return compare_markdown.render(found, failures)
    if format == "html":
        from ca_engine.version import __version__
        from ca_reports.render import compare_html

        return compare_html.render(found, failures, __version__)
    if found.head.run is None:
        raise UsageError(f"--format {format} needs a run to tell of, and HEAD is a baseline")
    from ca_reports.gates import reported

    places = gating.places_of(found.head.run)
    report = reported.of_comparison(found, failures, places, judged=_NEW in limits)
    return formats.as_text(report, found.head.run, format)
