"""The judge of the engine comparisons, judged: what it must and must not tell apart."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.integration.oracle import (
    UnreadableGraphError,
    aot_names,
    captured_graphs,
    capturing_engines,
    dynamo_compiles,
    normalise_graph,
    read_trace,
)

if TYPE_CHECKING:
    from pathlib import Path

GRAPH = """\
class CompiledAutograd0(torch.nn.Module):
    def forward(self, inputs, sizes, scalars, hooks, packed_data):
        # No stacktrace found for following nodes
        getitem = inputs[0]
        getitem_1 = inputs[1];  inputs = None

        # File: compiled_autograd.py:1 in set_node_origin, code: PowBackward0 (NodeCall 1)
        validate = ops_validate([getitem], [((device(type='cpu'), 6), [2])]);  getitem = None
        getitem_2 = validate[0];  validate = None
        pow_1 = ops_PowBackward0([getitem_2], [True], 2.0, getitem_1);  getitem_2 = getitem_1 = None
        getitem_3 = pow_1[0]
        getitem_4 = pow_1[1];  pow_1 = None
        sub = torch.ops.aten.sub.Tensor(getitem_3, getitem_4);  getitem_3 = getitem_4 = None
        accumulate = call_accumulate_grad(sub, None, False);  sub = accumulate = None
        return []
"""


def replaced(old: str, new: str) -> str:
    assert GRAPH.count(old) >= 1
    return GRAPH.replace(old, new)


def test_lines_keep_targets_arguments_and_order() -> None:
    assert normalise_graph(GRAPH) == [
        "class",
        "def forward(self, inputs, sizes, scalars, hooks, packed_data)",
        "v0 = inputs[0]",
        "v1 = inputs[1]",
        "v2 = ops_validate([v0], [((device(type='cpu'), 6), [2])])",
        "v3 = v2[0]",
        "v4 = ops_PowBackward0([v3], [True], 2.0, v1)",
        "v5 = v4[0]",
        "v6 = v4[1]",
        "v7 = torch.ops.aten.sub.Tensor(v5, v6)",
        "v8 = call_accumulate_grad(v7, None, False)",
        "return []",
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("getitem", "item", id="names"),
        pytest.param("CompiledAutograd0", "CompiledAutograd17", id="number of the capture"),
        pytest.param("# No stacktrace found for following nodes", "# other", id="comment"),
        pytest.param(";  pow_1 = None", "", id="freeing"),
        pytest.param("sub = torch", 'sub: "f32[3]" = torch', id="annotation"),
        pytest.param(
            "        pow_1 = ops",
            "        unused = hooks[0];  unused = None\n        pow_1 = ops",
            id="dead item",
        ),
        pytest.param(
            "        pow_1 = ops",
            "        unused = hooks[0]\n        item = unused[1]\n        pow_1 = ops",
            id="dead item of a dead item",
        ),
    ],
)
def test_equal_up_to(old: str, new: str) -> None:
    assert normalise_graph(replaced(old, new)) == normalise_graph(GRAPH)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("2.0", "3.0", id="float constant"),
        pytest.param("2.0", "2", id="type of a constant"),
        pytest.param("[True]", "[False]", id="bool constant"),
        pytest.param("type='cpu'", "type='cuda'", id="string constant"),
        pytest.param("[2])", "[getitem_1])", id="constant or value"),
        pytest.param("aten.sub.Tensor", "aten.sub.Scalar", id="overload"),
        pytest.param("ops_PowBackward0", "ops_PowBackward1", id="target"),
        pytest.param("Tensor(getitem_3, getitem_4)", "Tensor(getitem_4, getitem_3)", id="wiring"),
        pytest.param("inputs[1]", "inputs[2]", id="index of an input"),
        pytest.param("return []", "return [getitem_1]", id="output"),
        pytest.param("hooks, packed_data", "packed_data, hooks", id="parameters"),
        pytest.param("None, False)", "None, False, hook_type='x')", id="keyword"),
        pytest.param(
            "        getitem_3 = pow_1[0]\n        getitem_4 = pow_1[1];  pow_1 = None\n",
            "        getitem_4 = pow_1[1]\n        getitem_3 = pow_1[0];  pow_1 = None\n",
            id="order",
        ),
        pytest.param(
            "        accumulate = ",
            "        stub = exec_final_callbacks();  stub = None\n        accumulate = ",
            id="call whose value is unused",
        ),
        pytest.param("        accumulate = call", "        # call", id="call left out"),
    ],
)
def test_different_in(old: str, new: str) -> None:
    assert normalise_graph(replaced(old, new)) != normalise_graph(GRAPH)


def test_aot_closures_are_equal_whatever_module_made_them_and_however_numbered() -> None:
    torchs = replaced("ops_validate", "torch__dynamo_compiled_autograd_call_aot_bwd_prologue_1")
    ours = replaced("ops_validate", "ca_engine_capture_aot_call_aot_bwd_prologue")
    epilogue = replaced("ops_validate", "ca_engine_capture_aot_call_aot_bwd_epilogue")
    assert normalise_graph(ours) == normalise_graph(torchs)
    assert normalise_graph(ours) != normalise_graph(epilogue)
    assert normalise_graph(ours) != normalise_graph(GRAPH)


def test_a_name_assigned_again_is_another_value() -> None:
    again = replaced("getitem_4 = pow_1[1]", "getitem_3 = pow_1[1]").replace(
        "Tensor(getitem_3, getitem_4)", "Tensor(getitem_3, getitem_3)"
    )
    # The first getitem_3 is dead now: pow_1[1] alone is left.
    lines = normalise_graph(again)
    assert "v5 = v4[1]" in lines
    assert "v6 = torch.ops.aten.sub.Tensor(v5, v5)" in lines


def test_nested_modules_are_compared() -> None:
    nested = GRAPH + (
        "    class body(torch.nn.Module):\n"
        "        def forward(self, a):\n"
        "            add = torch.ops.aten.add.Tensor(a, 1);  a = None\n"
        "            return (add,)\n"
    )
    assert normalise_graph(nested) != normalise_graph(GRAPH)
    assert normalise_graph(nested) != normalise_graph(nested.replace("(a, 1)", "(a, 2)"))
    assert normalise_graph(nested) == normalise_graph(
        nested.replace("add =", "b =").replace("(add,)", "(b,)")
    )


@pytest.mark.parametrize(
    "code",
    [
        "",
        "x = 1",
        "class G:\n    def forward(self):\n        while True: pass",
        "class G:\n    def forward(self):\n        x = f(<object at 0x7f>)",
        "class G:\n    def forward(self):\n        self.x = f()",
        "class G:\n    y = 1",
    ],
)
def test_what_is_no_graph_is_refused(code: str) -> None:
    with pytest.raises(UnreadableGraphError):
        normalise_graph(code)


def test_aot_names_are_counted_where_they_are_assigned() -> None:
    code = (
        "    aot0_mm = f(x)\n    aot0_mm_1: 'f32[2]' = g(aot0_mm);  aot0_mm = None\n    mm = h()\n"
    )
    assert dict(aot_names(code)) == {"aot0_mm": 1, "aot0_mm_1": 1}


def test_trace_records_keep_their_payloads(tmp_path: Path) -> None:
    head = "V1121 08:40:37.940000 4523 torch/_dynamo/compiled_autograd.py:1208] "
    lines = [
        head + json.dumps({"str": ["x.py", 1]}),
        head + json.dumps({"compiled_autograd_graph": {}, "compiled_autograd_id": 0}),
        "\tclass A:",
        "\t",
        "\t\tx\r",
        head + json.dumps({"compilation_metrics": {"compile_id": "0/0"}}),
    ]
    (tmp_path / "a.log").write_bytes("\n".join(lines).encode() + b"\n")
    records = read_trace(tmp_path)
    assert [record.pid for record in records] == [4523] * 3
    assert capturing_engines(records) == {"torch"}
    assert dynamo_compiles(records) == ["0/0"]
    assert captured_graphs(records) == ["class A:\n\n\tx\r"]


def test_a_line_that_is_no_record_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("Traceback (most recent call last):\n")
    with pytest.raises(AssertionError, match="not a record"):
        read_trace(tmp_path)
