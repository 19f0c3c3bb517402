"""What two graphs do not have in common."""

from __future__ import annotations

import re

from ca_reports.facts.graphs.document import Read, difference
from tests.unit.reports.facts.graphs.texts import AOT, GRAPH, PLACE


def test_a_changed_constant_is_one_changed_node() -> None:
    after = GRAPH.replace("[getitem], [True], 2)", "[getitem], [True], 3)")
    found = difference(Read.of(GRAPH), Read.of(after))
    assert found.counts() == {"changed": 1, "same": 1}
    (changed,) = [node for node in found.nodes if node.status == "changed"]
    assert changed.node.label == "PowBackward0"
    assert changed.before[0].endswith("2)")
    assert changed.code[0].endswith("3)")


def test_names_that_count_on_are_no_difference() -> None:
    after = GRAPH
    for number in (4, 3, 2, 1):
        after = re.sub(rf"getitem_{number}\b", f"getitem_{number + 7}", after)
    assert difference(Read.of(GRAPH), Read.of(after)).counts() == {"same": 2}


def test_a_node_that_only_moved_in_the_source_is_the_same() -> None:
    moved = AOT.replace(":7 in", ":70 in")
    filled = [text.format(items="", users="") for text in (AOT, moved)]
    assert set(difference(*map(Read.of, filled)).counts()) == {"same"}


def test_nodes_that_came_and_went() -> None:
    extra = (
        f"        # File: {PLACE}, code: SinBackward0 (NodeCall 9)\n"
        "        sin = torch__dynamo_compiled_autograd_ops_SinBackward0([getitem], [True])\n"
    )
    head, mark, rest = GRAPH.partition("        return")
    longer = f"{head}{extra}{mark}{rest}"
    added = difference(Read.of(GRAPH), Read.of(longer))
    assert [node.node.label for node in added.nodes if node.status == "added"] == ["SinBackward0"]
    removed = difference(Read.of(longer), Read.of(GRAPH))
    assert removed.counts() == {"same": 2, "removed": 1}
