"""Graphs as files: SVG and DOT."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from ca_reports.facts.graphs.document import Read, picture
from ca_reports.facts.graphs.view import GraphView
from ca_reports.output import graph_files
from tests.unit.reports.facts.graphs.texts import AUTOGRAD, GRAPH


def test_the_svg_is_the_layout_of_the_page() -> None:
    found = picture(Read.of(GRAPH, AUTOGRAD))
    root = ElementTree.fromstring(graph_files.svg(GraphView(found, "capture !1")))
    boxes = root.findall(".//{*}g/{*}g/{*}rect") or root.findall(".//{*}g/{*}rect")
    middles = [float(box.attrib["x"]) + float(box.attrib["width"]) / 2 for box in boxes]
    assert middles == pytest.approx(found.layout.x, abs=0.2)
    assert "script" not in {element.tag.rpartition("}")[2] for element in root.iter()}


def test_dot_quotes_what_a_log_says() -> None:
    code = GRAPH.replace("PowBackward0 (NodeCall", 'Evil"];} (NodeCall')
    text = graph_files.dot(GraphView(picture(Read.of(code)), 'a"b\\'))
    assert text.startswith('digraph "a\\"b\\\\" {  // ca graph\n')
    assert text.count("n0 -> n1;") == 1
