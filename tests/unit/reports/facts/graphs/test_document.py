"""A graph that is read, folded and laid out."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from ca_reports.facts.graphs.document import Read, difference, picture
from ca_reports.facts.graphs.view import GraphView
from ca_reports.output import graph_files, graph_text
from ca_reports.run.model import Frame
from tests.unit.reports.facts.graphs.texts import AUTOGRAD, GRAPH


@given(st.text(max_size=300))
@settings(max_examples=150, deadline=None)
def test_any_text_can_be_read_and_drawn(text: str) -> None:
    for code in (text, GRAPH.replace("PowBackward0", text), GRAPH + text):
        found = picture(Read.of(code, AUTOGRAD))
        view = GraphView(found, text)
        ElementTree.fromstring(graph_files.svg(view))
        graph_files.dot(view)
        json.loads(graph_files.json(view))
        for line in graph_text.lines(view):
            assert not re.search("[\x00-\x1f\x7f-\x9f]", line.plain)


def test_a_noted_line_of_the_forward_is_its_nodes_place_and_no_difference() -> None:
    line = Frame("/home/user/model.py", 7, "forward", "y = x ** 2")
    noted = Read.of(GRAPH, AUTOGRAD, {1: line})
    assert noted.folded.nodes[0].place == line
    assert difference(Read.of(GRAPH, AUTOGRAD), noted).counts() == {"same": 2}
