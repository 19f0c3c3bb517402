"""Words for what differs between two captures."""

from __future__ import annotations

from typing import Any

from ca_reports.causes.rules.differences import in_words
from ca_reports.diagnosis.analysis import analyze
from ca_reports.facts.process import ProcessFacts
from ca_reports.run.model import (
    Change,
)
from tests.unit.reports.causes.rules.captured import Graph, captures, graph, node
from tests.unit.reports.made import LINE, captured, run_of


def test_what_no_rule_knows_is_told_by_its_difference() -> None:
    change = Change(3, "MseLossBackward0", "reduction", 1, 2)
    run = run_of(captured(0), captured(1, changes=(change,), closest_capture=0))
    (found,) = analyze(run).diagnosis.findings
    assert found.code == "CA000"
    assert "MseLossBackward0 reduction: 1 → 2" in found.message
    assert found.confidence == "low"
    assert found.location == LINE


def told(*graphs: Graph, **more: Any) -> str | None:
    run = run_of(*captures(*graphs, **more))
    return in_words(ProcessFacts(run.processes[0], run).captures[-1])


def test_nodes_that_came_or_went_or_took_the_place_of_others() -> None:
    relu, tanh = node("ReluBackward0"), node("TanhBackward0")
    assert told(graph(relu), graph(relu, relu)) == "ReluBackward0 added"
    assert told(graph(relu, relu, tanh), graph(relu)) == (
        "2 nodes (ReluBackward0, TanhBackward0) removed"
    )
    assert told(graph(relu), graph(tanh)) == "TanhBackward0 replaced ReluBackward0"


def test_values_and_modes() -> None:
    def powered(exponent: float) -> Graph:
        return graph(node("PowBackward0", attributes={"exponent": exponent}))

    assert told(powered(2.0), powered(3.0)) == "PowBackward0 exponent: 2.0 → 3.0"
    assert told(powered(2.0), powered(2.0)) is None
    assert told(powered(2.0)) is None


def test_an_order() -> None:
    relu, tanh = node("ReluBackward0"), node("TanhBackward0")
    words = told(graph(relu, tanh), graph(tanh, relu))
    assert words == "the same nodes in another order"
