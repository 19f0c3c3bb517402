"""Numbers that stand for inputs of a graph while C++ computes with them."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch

from ca_engine.capture.builder import GraphBuilder
from ca_engine.capture.lifted import lift_float, lift_int


@pytest.fixture
def builder() -> GraphBuilder:
    return GraphBuilder()


def test_its_value_now_answers_what_cpp_asks_of_it(builder: GraphBuilder) -> None:
    size: Any = lift_int(6, builder.item(builder.sizes, 0))
    asked = (size > 5, size == 6, size != 6)
    assert [one.node.guard_bool("", 0) for one in asked] == [True, True, False]
    larger: Any = torch.sym_max(size, 7)
    assert larger.node.guard_int("", 0) == 7
    scale: Any = lift_float(0.5, builder.item(builder.scalars, 0))
    assert (scale * 3).node.guard_float("", 0) == 1.5
    assert (scale.node.is_float(), size.node.is_int(), size.node.is_bool()) == (True, True, False)


def test_what_is_computed_of_it_enters_the_graph_only_where_it_is_used(
    builder: GraphBuilder,
) -> None:
    item = builder.item(builder.sizes, 0)
    size = lift_int(6, item)
    before = len(builder.graph.nodes)
    rows = size * 2 - 1
    assert len(builder.graph.nodes) == before
    node = builder.to_nodes(rows)
    assert [str(one.target.__name__) for one in (node.args[0], node)] == ["mul", "sub"]
    assert node.args[0].args == (item, 2)
    assert builder.to_nodes(rows) is node


def test_it_is_neither_guarded_nor_copied(builder: GraphBuilder) -> None:
    size = lift_int(6, builder.item(builder.sizes, 0))
    assert size.node.maybe_as_int() is None
    assert not size.node.is_constant()
    with pytest.raises(AttributeError, match="lifted by compiled autograd has no 'shape_env'"):
        _ = size.node.shape_env
    assert not hasattr(size.node, "__deepcopy__")
    assert "6 lifted" in repr(size.node)
    assert copy.copy(size.node).value == 6
