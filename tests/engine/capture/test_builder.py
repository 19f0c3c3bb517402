"""A graph under construction."""

from __future__ import annotations

import pytest
import torch
from torch import fx

from ca_engine.capture.builder import GraphBuilder


def test_attributes_of_modules_within_modules_get_names_of_their_own() -> None:
    build = GraphBuilder()
    names = [build.attribute("branch.weight", torch.nn.Linear(1, 1)) for _ in range(3)]
    assert len(set(names)) == 3
    for name in names:
        build.graph.create_node("get_attr", name)
    build.graph.output(())
    fx.GraphModule(build.root, build.graph)(*[None] * 5)  # reads each by its path


def test_a_handle_stands_for_a_value_and_nothing_else_is_one() -> None:
    builder = GraphBuilder()
    first, second = (builder.item(builder.inputs, index) for index in range(2))
    handle = builder.handle_for(first)
    assert builder.to_nodes([handle, (1, None, "x")]) == [first, (1, None, "x")]
    builder.bind(handle, second)
    assert builder.to_nodes(handle) is second
    with pytest.raises(RuntimeError, match=r"no value of the graph: shape \(2, 3\)"):
        builder.to_nodes(torch.ones(2, 3))


def test_calls_say_which_node_they_come_from() -> None:
    builder = GraphBuilder()
    before = builder.call(torch.sin, (builder.handle_for(builder.item(builder.inputs, 0)),))
    builder.set_origin("SinBackward0 (NodeCall 3)", "x.py", 7)
    after = builder.call(torch.cos, (builder.handle_for(before),))
    assert "stack_trace" not in before.meta
    assert "SinBackward0 (NodeCall 3)" in after.meta["stack_trace"]
    assert after.args == (before,)


def test_only_what_is_wanted_of_a_sequence_is_taken() -> None:
    builder = GraphBuilder()
    call = builder.call(torch.split, (builder.handle_for(builder.inputs), 2))
    first, second, third = builder.items(call, [True, False, True])
    assert first is not None
    assert second is None
    assert builder.to_nodes(third).args == (call, 2)


def test_a_number_of_another_capture_is_refused() -> None:
    other = torch.fx.experimental.symbolic_shapes.ShapeEnv().create_unbacked_symint()
    with pytest.raises(RuntimeError, match="symbolic number from another capture"):
        GraphBuilder().to_nodes(other)
