"""Output formats: a name, and a renderer for each kind of thing that one can write."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ca_engine.lazy_classes import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from ca_reports.comparison.runs import Outcome
    from ca_reports.costs.caches.starts import Start
    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.facts.graphs.view import GraphView
    from ca_reports.facts.sizes.examined import RunSizes
    from ca_reports.gates.gate import Verdict
    from ca_reports.output.reported import Report
    from ca_reports.patching.result import Fixes

# What a command has to show: `ca explain-recompiles` an analysis, `ca check` a verdict,
# `ca diff` an outcome, `ca fix` patches, `ca graph` a view of graphs, `ca caches` a start,
# `ca sizes` sizes with their plans, and `ca report` an analysis in a file of its own.
Kind = Literal["analysis", "verdict", "outcome", "page", "fixes", "graph", "start", "sizes"]
Subject: TypeAlias = "Analysis | Verdict | Outcome | Fixes | GraphView | Start | RunSizes"

_REPORTED: tuple[Kind, ...] = ("analysis", "verdict", "outcome")


def later(module: str, function: str = "render") -> Callable[..., Any]:
    """Return a function of a module of ``ca_reports.output``, imported at its first call.

    A format for several commands would otherwise import what shows a comparison, a fifth of a
    short command's time, to show an analysis.
    """

    def render(*subject: Any) -> Any:
        found = importlib.import_module(f"ca_reports.output.{module}")
        return getattr(found, function)(*subject)

    return render


@dataclass(frozen=True, kw_only=True, slots=True)
class Format:
    """One output format; each renderer takes its subject and returns the whole text.

    ``help`` is a few words for a list, ``suffix`` what its files end with. ``report`` serves
    an analysis, a verdict and an outcome alike, where the format has no renderer of its own for
    them. ``on_console``: the renderers take a console as well, which knows its width and
    colours, print there and return nothing. ``comment`` opens and closes a line that is none of
    the format's content; None if the format says otherwise that ca wrote it.
    """

    name: str
    suffix: str
    help: str
    analysis: Callable[..., str | None] | None = None
    verdict: Callable[..., str | None] | None = None
    outcome: Callable[..., str | None] | None = None
    page: Callable[[Analysis], str] | None = None
    fixes: Callable[[Fixes], str] | None = None
    graph: Callable[..., str | None] | None = None
    start: Callable[..., str | None] | None = None
    sizes: Callable[..., str | None] | None = None
    report: Callable[[Report], str] | None = None
    on_console: bool = False
    comment: tuple[str, str] | None = None

    def writes(self, kind: Kind) -> bool:
        """Return whether this format can write that ``kind``."""
        return getattr(self, kind) is not None or (self.report is not None and kind in _REPORTED)

    def text(self, kind: Kind, subject: Subject) -> str:
        """Return ``subject`` as text. Raises ``CaError`` for a baseline where a run is needed."""
        own = getattr(self, kind)
        if own is not None:
            return str(own(subject))
        assert self.report is not None
        from ca_reports.output import reported

        report: Report = getattr(reported, f"of_{kind}")(subject)
        return self.report(report)

    def show(self, kind: Kind, subject: Subject, console: Console) -> None:
        """Print ``subject``, for a format that is ``on_console``."""
        getattr(self, kind)(subject, console)
