"""Statements folded into the nodes that they serve."""

from __future__ import annotations

from ca_reports.facts.graphs.document import Read
from ca_reports.facts.graphs.fold import HUB
from tests.unit.reports.facts.graphs.texts import AOT, AUTOGRAD, GRAPH


def test_plumbing_is_folded_into_what_it_serves() -> None:
    folded = Read.of(GRAPH, AUTOGRAD).folded
    power, accumulate = folded.nodes
    assert power.label == "PowBackward0"
    assert power.role == "autograd"
    assert power.shapes == ("float32[s, 8]",)
    assert power.reads == ("inputs[0]", "sizes[0]")
    assert len(power.members) == 4
    assert accumulate.label == accumulate.parameter == "body.0.weight"
    assert accumulate.role == "accumulate"
    assert accumulate.inputs == (0,)
    assert power.group == "body.0"
    assert folded.fx_nodes == 14


def test_a_hub_is_not_drawn_to_all_its_users_but_the_gradient_goes_in() -> None:
    number = HUB + 4
    items = "\n".join(f"        aot3_primals_{n} = prologue[{n}]" for n in range(1, number))
    users = "\n".join(
        f"        aot3_t_{n} = torch.ops.aten.t.default(aot3_primals_{n})" for n in range(1, number)
    )
    nodes = Read.of(AOT.format(items=items, users=users)).folded.nodes
    prologue = next(i for i, node in enumerate(nodes) if node.label == "call_aot_bwd_prologue")
    by_label = {node.label: node for node in nodes}
    assert by_label["mm"].inputs == (prologue,)
    assert by_label["t"].inputs == ()
    assert by_label["t"].hidden == (prologue,)
    assert by_label["t"].group == "aot3"
