"""The budgets of a gate: each is a key of the settings, an option and an argument of a marker.

How many of its kind a run has is `gate`'s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Unit = Literal["count", "seconds", "share"]


@dataclass(frozen=True, slots=True)
class BudgetKind:
    """A budget by its key; ``noun`` is what it counts, in the plural."""

    key: str
    noun: str
    help: str
    unit: Unit = "count"

    @property
    def argument(self) -> str:
        """Its name in Python."""
        return self.key.replace("-", "_")


BUDGETS = (
    BudgetKind("max-captures", "captures", "Captures in all."),
    BudgetKind("max-recaptures", "recaptures", "Captures beyond the first."),
    BudgetKind("max-dynamo-recompiles", "Dynamo recompiles", "Recompiles of Dynamo's, all levels."),
    BudgetKind("max-graph-breaks", "graph breaks", "Graph breaks."),
    BudgetKind("max-seconds-lost", "seconds lost", "Seconds lost to all of these.", "seconds"),
    BudgetKind("max-lost-share", "of the time lost", "The same as a share: 0.05 or 5%.", "share"),
)
