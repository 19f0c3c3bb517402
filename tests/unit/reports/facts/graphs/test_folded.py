"""A node of a folded graph."""

from __future__ import annotations

from dataclasses import fields, replace

from tests.unit.reports.facts.graphs.texts import folded_node


def test_in_another_group_it_is_the_same_but_for_the_group() -> None:
    node = folded_node(
        "PowBackward0", hidden=(2,), reads=("inputs[0]",), shapes=("float32[2]",), parameter="w",
        group="aot0",
    )  # fmt: skip
    assert all(getattr(node, each.name) for each in fields(node) if each.default == ())
    assert node.in_group("blocks.1") == replace(node, group="blocks.1")
