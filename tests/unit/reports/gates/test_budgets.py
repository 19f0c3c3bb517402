"""The budgets of a gate."""

from __future__ import annotations

from ca_reports.gates.budgets import BUDGETS, BudgetKind
from ca_reports.gates.gate import Check


def test_one_of_what_a_budget_counts_is_in_the_singular() -> None:
    misses = BudgetKind("max-misses", "miss", "Misses of the cache.")
    told = [Check(misses, limit=0, found=found).sentence() for found in (1, 2)]
    assert told == ["1 miss, at most 0 allowed", "2 misses, at most 0 allowed"]
    assert [kind.of_many for kind in BUDGETS] == [
        "captures", "recaptures", "Dynamo recompiles", "forward recompiles", "graph breaks",
        "seconds compiling", "cache misses", "seconds compiling cold",
        "seconds lost", "of the time lost",
    ]  # fmt: skip
