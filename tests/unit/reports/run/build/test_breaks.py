from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ca_reports.run.build import breaks
from ca_reports.run.model import Frame


@given(st.text(max_size=200) | st.text("Cache missduetonw:()[],!0123456789 ", max_size=200))
def test_no_text_breaks_the_parser(text: str) -> None:
    assert breaks.parse(text).reason


BREAK = """\
Graph break in user code at /home/user/train.py:9
Graph Break Reason: {boilerplate}{reason}
  Explanation: Dynamo does not know how to trace builtin operator `print`.
  Hint: Avoid calling builtin `print`.

User code traceback:
  File "/home/user/main.py", line 20, in <module>
    step(x)
  File "/home/user/train.py", line 9, in torch_dynamo_resume_in_step_at_8
    print(x)
    ^^^^^^^^

Traceback (most recent call last):
  File "/usr/lib/torch/_dynamo/symbolic_convert.py", line 1076, in wrapper
    return inner_fn(self, inst)
torch._dynamo.exc.Unsupported: {reason}
"""
BOILERPLATE = (
    "Encountered graph break when attempting to trace CALL: a function call, e.g. f(x, y):\n\n"
)


def test_a_traceback_that_is_cut_ends_at_the_line_that_the_head_names() -> None:
    whole = BREAK.format(boilerplate="", reason="Failed to trace builtin operator")
    cut = whole[: whole.index('  File "/home/user/train.py", line 9')]
    found = breaks.parse(cut)
    assert found.location == Frame("/home/user/train.py", 9, "", "")
    assert [frame.line for frame in found.stack] == [20, 9]


@pytest.mark.parametrize("boilerplate", ["", BOILERPLATE])
def test_a_graph_break(boilerplate: str) -> None:
    found = breaks.parse(
        BREAK.format(boilerplate=boilerplate, reason="Failed to trace builtin operator")
    )
    assert found.reason == "Failed to trace builtin operator"
    assert found.explanation == "Dynamo does not know how to trace builtin operator `print`."
    assert found.location == Frame("/home/user/train.py", 9, "step", "print(x)")
    assert [frame.line for frame in found.stack] == [20, 9]
    assert not found.ours


@pytest.mark.parametrize(
    "reason",
    [
        "Unsupported Tensor.backward() call",
        "Attempted to call function marked as skipped\n  Developer debug context: module: "
        "torch.autograd, qualname: backward, skip reason: file matches",
    ],
)
def test_the_break_at_the_backward_call_is_not_the_users(reason: str) -> None:
    assert breaks.parse(BREAK.format(boilerplate=BOILERPLATE, reason=reason)).ours


def test_a_skipped_frame() -> None:
    found = breaks.parse(
        "Graph break: torch.compile cannot properly resume from this graph break, which results "
        "in a skip.\ntorch.compile will skip tracing the frame f (train.py line 3) and fall back "
        "to eager.\nThe graph break occurred in the following user code:\n"
        '  File "/home/user/train.py", line 5, in f\n    with lock:\n\n'
        "Traceback (most recent call last):\n"
        '  File "/usr/lib/torch/x.py", line 1, in g\n'
        "torch._dynamo.exc.Unsupported: context manager\n"
    )
    assert found.reason == "context manager"
    assert found.location == Frame("/home/user/train.py", 5, "f", "with lock:")


def test_the_function_that_is_skipped_for_a_break_in_an_operator() -> None:
    text = BREAK.format(boilerplate="", reason="Unsupported call").replace(
        "\nUser code traceback",
        "\ngraph break in loop\n  Explanation: torch.compile detected a graph break in a for/while "
        "loop.\n  Developer debug context: frame skipped: forward (/home/user/model.py line 27)\n"
        "\nUser code traceback",
    )
    found = breaks.parse(text)
    assert found.skipped == Frame("/home/user/model.py", 27, "forward", "")
    assert found.in_loop
    assert not found.in_operator
    inside = '  File "/t/torch/_dynamo/variables/higher_order_ops.py", line 1982, in '
    assert breaks.parse(text + inside + "speculate_subgraph_with_auto\n").in_operator


def test_the_older_form_has_its_line_behind_the_reason() -> None:
    found = breaks.parse(
        "Graph break: dynamic shape operator: aten.nonzero.default from user code at "
        '  File "/proj/select.py", line 31, in keep\n    return hits[energy > 1]\n'
    )
    assert found.reason == "dynamic shape operator: aten.nonzero.default"
    assert found.location == Frame("/proj/select.py", 31, "keep", "return hits[energy > 1]")
