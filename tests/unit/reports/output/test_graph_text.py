"""Graphs on a terminal."""

from __future__ import annotations

import re

from rich.console import Console

from ca_reports.facts.graphs.document import Read, difference
from ca_reports.facts.graphs.view import GraphView
from ca_reports.output import graph_text
from tests.unit.reports.facts.graphs.texts import AUTOGRAD, GRAPH, PLACE


def wired(source: str) -> str:
    """Two nodes, and a third that uses the result of ``source``."""
    lines = "".join(
        f"        # File: {PLACE}, code: {name}Backward0 (NodeCall {index})\n"
        f"        {name.lower()} = torch__dynamo_compiled_autograd_ops_{name}Backward0([{used}])\n"
        for index, (name, used) in enumerate([("Sin", "x"), ("Cos", "x"), ("Tan", source)])
    )
    head = "class A(torch.nn.Module):\n    def forward(self, inputs):\n        x = inputs[0]\n"
    return f"{head}{lines}        return []\n"


def test_the_terminal_shows_what_differs_and_where() -> None:
    console = Console(width=200, record=True, file=open("/dev/null", "w"))  # noqa: PTH123, SIM115
    after = GRAPH.replace("[getitem], [True], 2)", "[getitem], [True], 3)")
    found = difference(Read.of(GRAPH, AUTOGRAD), Read.of(after, AUTOGRAD))
    graph_text.render(GraphView(found, "!0 → !1", is_difference=True), console)
    text = console.export_text()
    assert "!0 → !1: 1 changed, 0 added, 0 removed, 1 the same" in text
    assert "body.0" in text
    assert re.search(r"^ +2 → 3$", text, re.M)
    assert "getitem" not in text


def test_a_terminal_says_where_only_the_wiring_differs() -> None:
    found = difference(Read.of(wired("sin")), Read.of(wired("cos")))
    assert found.counts() == {"same": 2, "changed": 1}
    lines = [
        line.plain for line in graph_text.lines(GraphView(found, "!0 → !1", is_difference=True))
    ]
    assert "        wired to other nodes" in lines
    assert not any("TanBackward0(" in line for line in lines)
