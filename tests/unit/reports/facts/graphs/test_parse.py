"""The code of a captured graph, read statement by statement."""

from __future__ import annotations

import pytest

from ca_reports.facts.graphs.parse import parse
from tests.unit.reports.facts.graphs.texts import AOT, GRAPH


def test_each_statement_is_a_node_with_its_origin() -> None:
    graph = parse(GRAPH)
    by_name = {node.name: node for node in graph.nodes}
    assert graph.unread == 0
    power = by_name["pow_backward0"]
    assert (power.kind, power.target) == ("call", "PowBackward0")
    assert power.origin is not None
    assert (power.origin.index, power.origin.name) == (1, "PowBackward0")
    assert [graph.nodes[index].name for index in power.inputs] == ["getitem"]
    assert power.text.endswith("[True], 2)")  # what is freed after it is no part of it
    assert GRAPH.splitlines()[power.line - 1].strip().startswith("pow_backward0 = ")
    assert by_name["getitem_4"].kind == "getitem"


def test_an_aot_region_keeps_its_forward_lines_and_its_node() -> None:
    graph = parse(AOT.format(items="", users=""))
    by_name = {node.name: node for node in graph.nodes}
    for name, line in (("aot3_mm", 72), ("aot3_last", 70)):
        place, origin = by_name[name].place, by_name[name].origin
        assert place is not None
        assert (place.file, place.line) == ("/home/user/model.py", line)
        assert origin is not None
        assert origin.name == "CompiledFunctionBackward"
    accumulate = by_name["call_accumulate_grad"].origin
    assert accumulate is not None
    assert accumulate.index == 6


@pytest.mark.parametrize(
    ("line", "unread"),
    [
        ("        x = (((", 1),
        ("        x = __import__('os').system('true')", 0),
        ('        x: "f32[2]" = inputs[0]', 0),
        ("        x = '\\x00'", 0),
        ("        no statement at all", 1),
        ("        x = " + "(" * 5_000 + ")" * 5_000, 1),
    ],
)
def test_what_is_no_graph_is_counted_not_raised(line: str, unread: int) -> None:
    head, _, rest = GRAPH.partition("        # File")
    assert parse(f"{head}{line}\n        # File{rest}").unread == unread
