"""The module that a node of a folded graph belongs to."""

from __future__ import annotations

from ca_reports.facts.graphs.modules import with_groups
from tests.unit.reports.facts.graphs.texts import folded_node


def test_a_node_is_of_the_module_whose_parameter_it_leads_to_first() -> None:
    nodes = [
        folded_node("loss"),
        folded_node("prologue", inputs=(0,)),
        folded_node("mm", inputs=(1,), group="aot0"),
        folded_node("t", inputs=(2,), group="aot0"),
        folded_node("gelu", inputs=(2,), group="aot0"),
        folded_node("sum", inputs=(4,), group="aot0"),
        folded_node("head.weight", role="accumulate", inputs=(3,), parameter="head.weight"),
        folded_node("up.bias", role="accumulate", inputs=(5,), parameter="blocks.0.up.bias"),
    ]
    assert [found.group for found in with_groups(nodes)] == [
        "", "", "aot0/head", "aot0/head", "aot0/blocks.0.up", "aot0/blocks.0.up",
        "aot0/head", "aot0/blocks.0.up",
    ]  # fmt: skip


def test_without_parameters_there_are_no_modules() -> None:
    nodes = [folded_node("a"), folded_node("b", inputs=(0,), group="aot1")]
    assert [found.group for found in with_groups(nodes)] == ["", "aot1"]
