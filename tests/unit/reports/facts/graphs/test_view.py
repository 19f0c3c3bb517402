"""The view of `ca graph`, of one capture or of two."""

from __future__ import annotations

from ca_reports.facts.graphs.view import GraphView
from ca_reports.logs.stored import StoredText
from tests.unit.reports.facts.graphs.texts import GRAPH
from tests.unit.reports.made import captured, run_of


def test_one_is_drawn_and_of_two_what_differs() -> None:
    other = GRAPH.replace("[True], 2)", "[True], 3)")
    first, second = (
        captured(id, graph=StoredText.pack(text.encode())) for id, text in enumerate((GRAPH, other))
    )
    run = run_of(first, second)
    one = GraphView.of(run, [first])
    assert (one.title, one.is_difference) == ("capture !0", False)
    assert {node.status for node in one.picture.nodes} == {"same"}
    both = GraphView.of(run, [first, second])
    assert (both.title, both.is_difference) == ("!0 → !1", True)
    assert both.picture.counts()["changed"] == 1
    assert both.run is run


def test_a_capture_without_its_graph_is_an_empty_picture() -> None:
    capture = captured(0)
    assert GraphView.of(run_of(capture), [capture]).picture.nodes == ()
