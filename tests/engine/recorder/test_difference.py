"""GIVEN two autograd graphs WHEN they are compared THEN only what changed is named."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ca_engine.recorder.difference import MAX_CHANGES, find_changes, find_closest
from ca_engine.recorder.snapshot import MAX_NODES
from ca_engine.schema import AutogradNode
from tests import slopes


def graph(*nodes: str | tuple[str, dict[str, Any]]) -> list[AutogradNode]:
    described: list[AutogradNode] = []
    for index, node in enumerate(nodes):
        name, attributes = (node, {}) if isinstance(node, str) else node
        described.append({"index": index, "name": name, "attributes": attributes})
    return described


def test_equal_graphs_have_no_changes() -> None:
    assert find_changes(graph("Root", "Mul"), graph("Root", "Mul")) == []


def test_a_changed_attribute_is_named_with_both_values() -> None:
    before, after = (graph("Root", ("Pow", {"exponent": value})) for value in (2.0, 3.0))
    assert find_changes(before, after) == [
        {
            "index": 1,
            "before_index": 1,
            "name": "Pow",
            "attribute": "exponent",
            "before": 2.0,
            "after": 3.0,
        }
    ]


def test_an_inserted_node_does_not_make_later_ones_differ() -> None:
    before = graph("Root", "Mul", ("Pow", {"exponent": 2.0}), "Accumulate")
    after = graph("Root", "Mul", "Dropout", ("Pow", {"exponent": 2.0}), "Accumulate")
    assert find_changes(before, after) == [
        {
            "index": 2,
            "before_index": None,
            "name": "Dropout",
            "attribute": "node",
            "before": None,
            "after": "Dropout",
        }
    ]


def test_a_removed_node_is_named() -> None:
    changes = find_changes(graph("Root", "Mul", "Exp", "Acc"), graph("Root", "Mul", "Acc"))
    assert changes == [
        {
            "index": None,
            "before_index": 2,
            "name": "Exp",
            "attribute": "node",
            "before": "Exp",
            "after": None,
        }
    ]


def test_a_replaced_node_is_one_change() -> None:
    (change,) = find_changes(graph("Root", "Add", "Acc"), graph("Root", "Sub", "Acc"))
    assert (change["index"], change["before"], change["after"]) == (1, "Add", "Sub")


def test_the_closest_graph_is_the_one_with_fewer_differences() -> None:
    now = graph("Root", ("Pow", {"exponent": 3.0}), "Acc")
    near = graph("Root", ("Pow", {"exponent": 2.0}), "Acc")
    far = graph("Root", "Exp", "Exp", "Acc")
    assert find_closest([near, far], now) == 0
    assert find_closest([far, near, near], now) == 2


def test_the_closest_graph_is_the_one_that_differs_in_each_layer_and_not_in_most_nodes() -> None:
    now = blocks(*range(20), dropout=True)
    each_layer = blocks(*range(20))
    ends_alike = [*now[:30], *graph(*["Exp"] * 60), *now[-30:]]
    assert find_closest([each_layer, ends_alike], now) == 0


def test_the_closest_graph_is_of_the_same_compiled_forward_though_more_nodes_differ() -> None:
    def region(aot_id: int, *, grads: bool) -> list[AutogradNode]:
        leaves: Any = [{"index": at, "name": "Acc", "grad_defined": grads} for at in range(1, 9)]
        return [{"index": 0, "name": "CompiledFunctionBackward", "aot_id": aot_id}, *leaves]

    earlier = [region(0, grads=False), region(2, grads=True)]
    assert find_closest(earlier, region(2, grads=False)) == 1


def saving(*aliases: int) -> list[AutogradNode]:
    tensors: Any = [{"self": {"shape": [2], "dtype": "float", "alias": alias}} for alias in aliases]
    return [
        {"index": index, "name": "Mul", "tensors": saved} for index, saved in enumerate(tensors)
    ]


def test_places_that_share_a_tensor_are_told_whatever_its_number() -> None:
    assert find_changes(saving(0, 1, 2), saving(7, 3, 5)) == []
    (change,) = find_changes(saving(0, 1, 2), saving(0, 1, 0))
    assert (change["index"], change["attribute"]) == (2, "self is")
    assert (change["before"], change["after"]) == (
        "a tensor of its own",
        "self of Mul (NodeCall 0)",
    )


def wired(*edges: list[int]) -> list[AutogradNode]:
    names = ["Add", "Exp", "Sin", "Acc"]
    return [
        {"index": index, "name": names[index], "next": after} for index, after in enumerate(edges)
    ]


def test_other_wiring_of_the_same_nodes_is_told() -> None:
    before, after = wired([1, 2], [3], [3], []), wired([2, 1], [3], [3], [])
    (change,) = find_changes(before, after)
    assert (change["name"], change["attribute"]) == ("Add", "next")
    assert (change["before"], change["after"]) == ([1, 2], [2, 1])


def test_edges_to_an_inserted_node_are_no_other_wiring() -> None:
    before = wired([1], [2], [3], [])
    after: list[AutogradNode] = [
        {"index": 0, "name": "Add", "next": [1]},
        {"index": 1, "name": "New", "next": [2]},
        {"index": 2, "name": "Exp", "next": [3]},
        {"index": 3, "name": "Sin", "next": [4]},
        {"index": 4, "name": "Acc", "next": []},
    ]
    assert [change["attribute"] for change in find_changes(before, after)] == ["node"]


def test_changes_are_bounded() -> None:
    before = graph(*[("Mul", {"value": 0})] * 500)
    after = graph(*[("Mul", {"value": 1})] * 500)
    assert len(find_changes(before, after)) == MAX_CHANGES


NAMES = st.lists(st.sampled_from(["Add", "Mul", "Exp"]), max_size=12)


@given(NAMES, NAMES)
def test_node_changes_account_for_the_difference_in_length(
    before: list[str], after: list[str]
) -> None:
    changes = find_changes(graph(*before), graph(*after))
    added = sum(change["before"] is None for change in changes)
    removed = sum(change["after"] is None for change in changes)
    assert added - removed == len(after) - len(before)
    assert (changes == []) == (before == after)


def test_what_two_regions_saved_is_not_compared() -> None:
    # Another region keeps its tensors in another order; the same one in the same.
    def region(aot_id: int, rows: int) -> AutogradNode:
        return {
            "index": 0,
            "name": "CompiledFunctionBackward",
            "aot_id": aot_id,
            "attributes": {"symints": [rows]},
            "tensors": {"saved[0]": {"shape": [rows], "dtype": "torch.float32", "alias": 0}},
        }

    other = find_changes([region(0, 8)], [region(1, 3)])
    same = find_changes([region(1, 3)], [region(1, 8)])

    assert [change["attribute"] for change in other] == ["aot_id"]
    assert [change["attribute"] for change in same] == ["symints", "saved[0].shape"]


def blocks(*numbers: int, dropout: bool = False) -> list[AutogradNode]:
    """A deep model's graph: blocks that differ in nothing but whose parameters they have."""
    nodes: list[AutogradNode] = [{"index": 0, "name": "Root"}]
    for number in numbers:
        names = ["Dropout"] * dropout + ["Add", "Addmm", "T"]
        nodes += [
            {
                "index": 0,
                "name": name,
                "attributes": {"grad_shapes": [[2, 4]]},
                "tensors": {"self": {"shape": [2, 4], "dtype": "torch.float32", "alias": number}},
            }
            for name in names
        ]
        nodes.append({"index": 0, "name": "Leaf", "parameter": f"{number}.weight"})
    for index, node in enumerate(nodes):
        node["index"] = index
        node["next"] = [index + 1] if index + 1 < len(nodes) else []
    return nodes


def told(before: list[AutogradNode], after: list[AutogradNode]) -> list[tuple[Any, Any, Any]]:
    return [
        (change["attribute"], change["before_index"], change["index"])
        for change in find_changes(before, after)
    ]


@pytest.mark.parametrize("left_out", [0, 1, 2, 7, 8])
def test_of_like_blocks_the_one_that_is_gone_is_told(left_out: int) -> None:
    every = range(8, -1, -1)
    before, after = blocks(*every), blocks(*(each for each in every if each != left_out))
    gone = [node["index"] for node in before if node.get("parameter") == f"{left_out}.weight"]
    expected = list(range(gone[0] - 3, gone[0] + 1))
    assert told(before, after) == [("node", index, None) for index in expected]
    assert told(after, before) == [("node", None, index) for index in expected]


def test_like_blocks_in_another_order_are_no_other_nodes() -> None:
    # It is no other graph: what made a backward differ has to be looked for elsewhere.
    assert told(blocks(3, 2, 1, 0), blocks(2, 0, 3, 1)) == []


def test_one_node_more_in_each_block_is_told_at_each() -> None:
    before, after = blocks(*range(20)), blocks(*range(20), dropout=True)
    assert told(before, after) == [("node", None, 1 + 5 * number) for number in range(20)]


# In times of writing both graphs as JSON and reading them, which a recording does anyway. Measured:
# 0.2 to 0.9 for the changes, 0.4 to 6 to find the closest of eight.
MAX_TIMES = 15


@pytest.mark.long
@pytest.mark.parametrize("case", ["equal", "one gone", "one more in each", "other names"])
@pytest.mark.parametrize("nodes", [1_900, MAX_NODES])
def test_a_large_graph_is_compared_in_no_time(case: str, nodes: int) -> None:
    every = range(nodes // 5)
    before = blocks(*every)
    others: list[Any] = [{**node, "name": f"Other{node['name']}"} for node in blocks(*every)]
    after = {
        "equal": blocks(*every),
        "one gone": blocks(*(each for each in every if each != 100)),
        "one more in each": blocks(*every, dropout=True),
        "other names": others,
    }[case]
    most = MAX_TIMES * slopes.seconds(lambda: json.loads(json.dumps([before, after])))
    changes = find_changes(before, after)
    assert len(changes) == {"equal": 0, "one gone": 4}.get(case, MAX_CHANGES)
    assert find_closest([before] * 8, after) == 7
    assert slopes.is_within(most, lambda: find_changes(before, after))
    assert slopes.is_within(most, lambda: find_closest([before] * 8, after))
