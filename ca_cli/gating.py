"""What `ca check` and `ca run --check` share: their options, and how a gate ends."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ca_cli.console import tell
from ca_cli.errors import FINE, GATE_FAILED, UsageError

if TYPE_CHECKING:
    from ca_reports.analysis import Analysis
    from ca_reports.gates.config import Settings
    from ca_reports.gates.gate import Verdict

MaxCaptures = Annotated[
    int | None, typer.Option("--max-captures", min=0, metavar="N", help="Captures in all.")
]
MaxRecaptures = Annotated[
    int | None,
    typer.Option("--max-recaptures", min=0, metavar="N", help="Captures beyond the first."),
]
MaxDynamoRecompiles = Annotated[
    int | None,
    typer.Option(
        "--max-dynamo-recompiles", min=0, metavar="N", help="Recompiles of Dynamo's, all levels."
    ),
]
MaxGraphBreaks = Annotated[
    int | None, typer.Option("--max-graph-breaks", min=0, metavar="N", help="Graph breaks.")
]
MaxSecondsLost = Annotated[
    float | None,
    typer.Option("--max-seconds-lost", min=0, metavar="S", help="Seconds lost to all of these."),
]
MaxLostShare = Annotated[
    str | None,
    typer.Option("--max-lost-share", metavar="SHARE", help="The same as a share: 0.05 or 5%."),
]
WarmupSteps = Annotated[
    int | None,
    typer.Option(
        "--warmup-steps", min=0, metavar="N", help="Nothing in the first N backwards counts."
    ),
]
Select = Annotated[
    list[str] | None,
    typer.Option(
        "--select",
        metavar="CODE",
        show_default="severity warning and error",
        help="Only these findings count: CA201, CA2, grad-none, ALL; repeat for more.",
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="CODE", help="These findings do not count, nor their events."),
]
Baseline = Annotated[
    Path | None,
    typer.Option("--baseline", metavar="FILE", help="Only findings that are not in there fail."),
]
Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        show_default="the nearest ca.toml or pyproject.toml with [tool.ca]",
        help="Where the settings are; flags win over them.",
    ),
]


@dataclass(frozen=True)
class Flags:
    """What flags said; None for what they did not."""

    max_captures: int | None = None
    max_recaptures: int | None = None
    max_dynamo_recompiles: int | None = None
    max_graph_breaks: int | None = None
    max_seconds_lost: float | None = None
    max_lost_share: str | None = None
    warmup_steps: int | None = None
    select: list[str] | None = None
    ignore: list[str] | None = None
    baseline: Path | None = None
    config: Path | None = None

    def given(self) -> list[str]:
        """The options that were given, as they are typed."""
        named = ((field.name, getattr(self, field.name)) for field in fields(self))
        return [f"--{name.replace('_', '-')}" for name, value in named if value is not None]

    def settings(self) -> Settings:
        """What holds: the settings' file, and flags over it. Raises `CaError`."""
        from ca_reports.gates.config import BUDGETS, load_settings, override

        found = load_settings(Path.cwd(), self.config)
        budgets = {kind.key: getattr(self, kind.key.replace("-", "_")) for kind in BUDGETS}
        return override(
            found,
            budgets,
            warmup_steps=self.warmup_steps,
            select=self.select,
            ignore=self.ignore,
            baseline=self.baseline,
        )


def exit_code(verdict: Verdict) -> int:
    """0 or 1. Raises `UsageError` if nobody can tell, which is no green gate."""
    if not verdict.ok:
        return GATE_FAILED
    if verdict.undecided is not None:
        raise UsageError(verdict.undecided)
    return FINE


def judge(analysis: Analysis, settings: Settings) -> Verdict:
    """Hold a run against `settings`. Raises `CaError` for a baseline that is not there."""
    from ca_reports.gates import baseline, gate

    known = None if settings.baseline is None else baseline.read(settings.baseline)
    return gate.judge(analysis, settings, known)


def say_settings(settings: Settings) -> None:
    """Say on stderr which file the settings are of, or what holds without any."""
    if settings.source is not None:
        line = f"settings: {_shown(settings.source)}"
        if settings.unread is not None:
            line += f" (not {_shown(settings.unread)}, which has some, too)"
    elif settings.budgets or settings.select is not None or settings.baseline is not None:
        return
    else:
        line = "no settings: every finding of severity warning or error fails"
    if settings.baseline is not None:
        line += f", baseline: {_shown(settings.baseline)}"
    tell(line)


def _shown(path: Path) -> str:
    relative = os.path.relpath(path)
    return relative if not relative.startswith(os.pardir + os.sep) else str(path)
