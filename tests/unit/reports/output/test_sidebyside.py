"""Nodes of two captures beside each other."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ca_reports.output.sidebyside import MAX_ROWS, side_by_side


def node(index: int, name: str, **more: Any) -> dict[str, Any]:
    return {"index": index, "name": name, **more}


def test_nodes_that_differ_are_shown_with_what_is_around_them() -> None:
    names = [f"Op{index}Backward0" for index in range(20)]
    before = [node(index, name) for index, name in enumerate(names)]
    after = [*map(dict, before)]
    before[10]["attributes"], after[10]["attributes"] = {"exponent": 2}, {"exponent": 3}
    found = side_by_side(before, after)
    assert [row.same for row in found.rows] == [True, False, True]
    assert found.rows[0].skipped == 9
    assert found.equal_after == 8
    changed = found.rows[1]
    assert changed.before is not None
    assert changed.after is not None
    assert [(value.attribute, value.text) for value in changed.before.values] == [("exponent", "2")]
    assert [(value.attribute, value.text) for value in changed.after.values] == [("exponent", "3")]
    assert (found.differing, found.left_out) == (1, 0)


def test_a_node_that_came_stands_alone_and_shifts_no_other() -> None:
    before = [node(0, "A"), node(1, "B", parameter="w", grad_defined=False, shape=[2])]
    after = [
        node(0, "A"),
        node(1, "SinBackward0", attributes={"self": 1}),
        node(2, "B", parameter="w", grad_defined=True, shape=[2]),
    ]
    found = side_by_side(before, after)
    alone = found.rows[1]
    assert alone.before is None
    assert alone.after is not None
    assert alone.after.name == "SinBackward0"
    assert not alone.after.values[0].differs
    grad = found.rows[2]
    assert grad.before is not None
    assert grad.before.parameter == "w"
    assert grad.before.values[0] == (grad.before.values[0].__class__)(".grad", "nothing", True)


def test_more_differences_than_fit_are_counted() -> None:
    before = [node(index, "A", hooks=1) for index in range(100)]
    after = [node(index, "A", hooks=2) for index in range(100)]
    found = side_by_side(before, after)
    assert len(found.rows) == MAX_ROWS
    assert found.differing == 100
    assert found.left_out == 100 - MAX_ROWS


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


raw_nodes = st.lists(
    st.dictionaries(
        st.sampled_from(["index", "name", "attributes", "tensors", "grad_defined", "function"]),
        json_values,
    ),
    max_size=6,
)


# Nested values are slow to draw on a busy machine, which says nothing of what is tested.
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=60)
@given(raw_nodes, raw_nodes)
def test_any_recorded_nodes_can_be_compared(before: list[Any], after: list[Any]) -> None:
    found = side_by_side(before, after)
    assert found.differing == found.left_out + sum(not row.same for row in found.rows)
