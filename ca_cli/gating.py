"""Options and endings that `ca check` and `ca run --check` share."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ca_cli.console import tell
from ca_cli.errors import FINE, GATE_FAILED, UsageError
from ca_cli.options import OptionGroup
from ca_reports.gates.budgets import BUDGETS, BudgetKind

if TYPE_CHECKING:
    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.gates.config import GateSettings
    from ca_reports.gates.gate import Verdict

Select = Annotated[
    list[str] | None,
    typer.Option(
        "--select",
        metavar="CODE",
        show_default="severity warning and error",
        help="Only these findings count: CA201, CA2, grad-none, ALL; repeat for more.",
    ),
]
ExtendSelect = Annotated[
    list[str] | None,
    typer.Option(
        "--extend-select",
        metavar="CODE",
        help="Count these too, also of severity info, and fail: CA62 for what caches don't take.",
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="CODE", help="These findings do not count, nor their events."),
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
class Flags(OptionGroup):
    """Values of the flags; None for those not given. ``budgets`` are by key, one option each."""

    budgets: dict[str, float | str] = field(default_factory=dict)
    warmup_steps: Annotated[
        int | None,
        typer.Option("--warmup-steps", min=0, metavar="N", help="Ignore the first N backwards."),
    ] = None
    select: Select = None
    extend_select: ExtendSelect = None
    ignore: Ignore = None
    baseline: Annotated[
        Path | None,
        typer.Option(
            "--baseline", metavar="FILE", help="Fail only on findings not in this baseline."
        ),
    ] = None
    config: Config = None

    @classmethod
    def parameters(cls) -> list[Parameter]:
        """Return an option for each budget, then the others."""
        _, *others = super().parameters()
        return [*map(_as_option, BUDGETS), *others]

    @classmethod
    def made_of(cls, values: dict[str, Any]) -> Flags:
        """Collect the budgets that were given."""
        found = {kind.key: values.pop(kind.argument) for kind in BUDGETS}
        return cls({key: value for key, value in found.items() if value is not None}, **values)

    def given(self) -> list[str]:
        """Return the options that were given, as they are typed."""
        _, *others = fields(self)
        named = [one.name for one in others if getattr(self, one.name) is not None]
        return [f"--{name.replace('_', '-')}" for name in (*self.budgets, *named)]

    def settings(self) -> GateSettings:
        """Return the settings: the file's, and flags over them. Raises `CaError`."""
        from ca_reports.gates.config import load_settings, override

        return override(
            load_settings(Path.cwd(), self.config),
            self.budgets,
            warmup_steps=self.warmup_steps,
            select=self.select,
            extend_select=self.extend_select,
            ignore=self.ignore,
            baseline=self.baseline,
        )


# The type of a budget's option, and what the help calls its value.
_VALUES = {"count": (int, "N"), "seconds": (float, "S"), "share": (str, "SHARE")}


def _as_option(kind: BudgetKind) -> Parameter:
    value, metavar = _VALUES[kind.unit]
    least = None if value is str else 0
    option = typer.Option(f"--{kind.key}", min=least, metavar=metavar, help=kind.help)
    annotation = Annotated[value | None, option]  # type: ignore[valid-type]
    return Parameter(kind.argument, Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def exit_code(verdict: Verdict) -> int:
    """0 or 1. Raises `UsageError` if nobody can tell, which is no green gate."""
    if not verdict.ok:
        return GATE_FAILED
    if verdict.inconclusive_reason is not None:
        raise UsageError(verdict.inconclusive_reason)
    return FINE


def judge(analysis: Analysis, settings: GateSettings) -> Verdict:
    """Check a run against `settings`. Raises `CaError` for a baseline that is not there."""
    from ca_reports.gates import baseline, gate

    known = None if settings.baseline is None else baseline.read(settings.baseline)
    return gate.judge(analysis, settings, known)


def say_settings(settings: GateSettings) -> None:
    """Say on stderr which file the settings are of, or what holds without any."""
    if settings.source is not None:
        line = f"settings: {_shown(settings.source)}"
        if settings.unread is not None:
            line += f" ({_shown(settings.unread)} has settings too, which are not read)"
    elif settings.budgets or settings.select is not None or settings.baseline is not None:
        return
    else:
        line = "no settings found: any warning or error fails"
    if settings.baseline is not None:
        line += f", baseline: {_shown(settings.baseline)}"
    tell(line)


def _shown(path: Path) -> str:
    relative = os.path.relpath(path)
    return relative if not relative.startswith(os.pardir + os.sep) else str(path)
