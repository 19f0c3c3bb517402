"""The budgets of a gate: each is a key of the settings, an option and an argument of a marker.

How many of its kind a run has is `gate`'s.
"""

from __future__ import annotations

from typing import Literal

from ca_engine.lazy_classes import dataclass
from ca_reports.words.numbers import plural

Unit = Literal["count", "seconds", "share"]


@dataclass(frozen=True, slots=True)
class BudgetKind:
    """A budget by its key; ``noun`` is one of what it counts, or what a time or share is of."""

    key: str
    noun: str
    help: str
    unit: Unit = "count"

    @property
    def argument(self) -> str:
        """Return its name in Python."""
        return self.key.replace("-", "_")

    @property
    def of_many(self) -> str:
        """Name what it counts, in the plural."""
        return plural(self.noun) if self.unit == "count" else self.noun


BUDGETS = (
    BudgetKind("max-captures", "capture", "Captures in all."),
    BudgetKind("max-recaptures", "recapture", "Captures beyond the first."),
    BudgetKind("max-dynamo-recompiles", "Dynamo recompile", "Recompiles of Dynamo's, all levels."),
    BudgetKind("max-recompiles", "forward recompile", "Recompiles of forwards."),
    BudgetKind("max-graph-breaks", "graph break", "Graph breaks."),
    BudgetKind(
        "max-compile-seconds", "seconds compiling", "Seconds compiling forwards.", "seconds"
    ),
    BudgetKind("max-cache-misses", "cache miss", "Graphs that torch's caches did not have."),
    BudgetKind(
        "max-cold-compile-seconds", "seconds compiling cold", "Seconds compiling those.", "seconds"
    ),
    BudgetKind("max-seconds-lost", "seconds lost", "Seconds lost to all of these.", "seconds"),
    BudgetKind("max-lost-share", "of the time lost", "The same as a share: 0.05 or 5%.", "share"),
)
