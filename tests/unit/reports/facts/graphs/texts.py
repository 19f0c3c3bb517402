"""Captured graphs as torch writes them."""

from __future__ import annotations

from typing import Any

from ca_reports.facts.graphs.folded import FoldedNode

PLACE = "/venv/torch/_dynamo/compiled_autograd.py:1582 in set_node_origin"


CHECK = (
    "torch__dynamo_compiled_autograd_ops_validate_outputs([{0}], "
    "[((None, None, device(type='cpu'), 6, 0, None), [{1}], False, 6)])"
)


GRAPH = f"""\
class CompiledAutograd1(torch.nn.Module):
    def forward(self, inputs, sizes, scalars, hooks, packed_data):
        # File: {PLACE}, code: torch::autograd::GraphRoot (NodeCall 0)
        getitem = inputs[0]
        getitem_1 = inputs[1];  inputs = None
        getitem_2 = sizes[0];  sizes = None
        unwrap_maybe_dynamic_int = torch__dynamo_external_utils_unwrap_maybe_dynamic_int(getitem_2)

        # File: {PLACE}, code: PowBackward0 (NodeCall 1)
        pow_backward0 = torch__dynamo_compiled_autograd_ops_PowBackward0([getitem], [True], 2)
        getitem_3 = pow_backward0[0];  pow_backward0 = None
        validate_outputs = {CHECK.format("getitem_3", "unwrap_maybe_dynamic_int, 8")};  getitem_3 = None
        getitem_4 = validate_outputs[0];  validate_outputs = None

        # File: {PLACE}, code: torch::autograd::AccumulateGrad (NodeCall 2)
        call_accumulate_grad = torch__dynamo_external_utils_call_accumulate_grad(getitem_1, None, getitem_4, False)
        return []
"""  # noqa: E501


AUTOGRAD: list[dict[str, Any]] = [
    {"index": 1, "name": "PowBackward0"},
    {"index": 2, "name": "torch::autograd::AccumulateGrad", "parameter": "body.0.weight"},
]


AOT = """\
class CompiledAutograd0(torch.nn.Module):
    def forward(self, inputs, sizes, scalars, hooks, packed_data):
        # File: /x.py:1 in set_node_origin, code: CompiledFunctionBackward (NodeCall 5)
        getitem = inputs[0]
        prologue = torch__dynamo_external_utils_call_aot_bwd_prologue((getitem,), [])
        aot3_tangents_1 = prologue[0]
{items}
        # File: /home/user/model.py:72 in forward, code: return self.head(self.norm(x))
        aot3_mm = torch.ops.aten.mm.default(aot3_tangents_1, aot3_tangents_1)
{users}
        # File: /x.py:1 in set_node_origin, code: torch::autograd::AccumulateGrad (NodeCall 6)
        call_accumulate_grad = torch__dynamo_external_utils_call_accumulate_grad(getitem, None, aot3_mm, False)
        # File: /home/user/model.py:70 in forward, code: x = self.tokens(tokens)
        aot3_last = torch.ops.aten.add.Tensor(aot3_mm, aot3_mm)
        return []
"""  # noqa: E501


def folded_node(label: str, **more: Any) -> FoldedNode:
    """A node of a folded graph, as little of it as there can be."""
    found = {"role": "call", "head": 0, "members": (0,), "inputs": (), **more}
    return FoldedNode(label=label, **found)
