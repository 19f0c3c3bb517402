"""The JSON of autograd nodes is what `plain` leaves of them, whether or not they came before."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ca_reports.logs.fields import MAX_ITEMS, MAX_TEXT, plain
from ca_reports.run.build.nodes import PlainNodes

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | st.floats(0, 1) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)
NODES = st.lists(st.dictionaries(st.sampled_from(("index", "name", "next")), VALUES), max_size=6)


def lines(nodes: list[Any]) -> bytes:
    return b"\n".join(orjson.dumps(node) for node in nodes)


@pytest.mark.long
@given(captures=st.lists(NODES, max_size=4))
def test_nodes_of_many_captures(captures: list[list[dict[str, Any]]]) -> None:
    known = PlainNodes()
    for nodes in captures:
        assert known.as_json(nodes) == lines([plain(node) for node in nodes])


def test_what_nobody_reads_is_left_out_each_time() -> None:
    known = PlainNodes()
    deep: Any = 0
    for _ in range(300):  # deeper than orjson encodes
        deep = [deep]
    nodes: list[dict[str, Any]] = [
        {"name": "x" * (MAX_TEXT + 1)},
        {"next": list(range(MAX_ITEMS + 1))},
        {"attributes": deep},
        {"index": 1},
        {"index": True},
        {"index": 1.0},
    ]
    expected = [plain(node) for node in nodes]
    assert all(made != node for made, node in zip(expected[:3], nodes, strict=False))
    for _ in range(2):
        assert known.as_json(nodes) == lines(expected)


def test_so_many_nodes_are_known_and_no_more() -> None:
    known = PlainNodes()
    nodes = [{"index": index} for index in range(10_000)]
    assert known.as_json(nodes) == lines(nodes)
    assert len(known._known) <= 4_096
