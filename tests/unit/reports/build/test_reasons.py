"""torch's texts taken apart, and the words made of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ca_reports.build import breaks
from ca_reports.build.near import nearest_place
from ca_reports.model import Capture, Change, Frame, Node
from ca_reports.render.graphtext import node_counts
from ca_reports.stack import user_frames
from ca_reports.text.captures import describe_changes, what_changed
from ca_reports.text.numbers import duration
from ca_reports.text.places import shown_place
from tests.unit.logwriter import GRAPH_CODE


@given(st.text(max_size=200) | st.text("Cache missduetonw:()[],!0123456789 ", max_size=200))
def test_no_text_breaks_the_parsers(text: str) -> None:
    assert breaks.parse(text).reason
    node_counts(text)


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


TORCH = "/venv/lib/torch"


def test_the_users_frames_of_a_captured_backward() -> None:
    user = Frame("/home/user/train.py", 8, "torch_dynamo_resume_in_step_at_7", "loss.backward()")
    stack = (
        user,
        Frame(f"{TORCH}/_tensor.py", 623, "backward", ""),
        Frame(f"{TORCH}/autograd/graph.py", 979, "_engine_run_backward", ""),
        Frame("/home/user/hook.py", 1, "hook", ""),
    )
    assert user_frames(stack, captured=True) == (
        Frame("/home/user/train.py", 8, "step", "loss.backward()"),
    )
    assert user_frames(stack[:1], captured=True) == ()
    assert len(user_frames(stack[:1], captured=False)) == 1


def test_the_nearest_place() -> None:
    nodes: list[dict[str, Any]] = [
        {"index": 2, "name": "AccumulateGrad", "parameter": "layers.1.weight"},
        {"index": 4, "name": "PowBackward0"},
        {"index": 6, "name": "AccumulateGrad", "parameter": "layers.0.weight"},
        {"index": 7, "name": "AccumulateGrad", "parameter": "layers.0.bias"},
        {"index": "9", "name": None, "parameter": 3},
    ]
    assert nearest_place(nodes, 4) == "layers.0"
    assert nearest_place(nodes, 3) == "layers.1"
    assert nearest_place(nodes, 7) == "layers.0.bias"
    assert nearest_place(nodes[1:2], 4) is None
    region: dict[str, Any] = {"index": 5, "name": "CompiledFunctionBackward"}
    assert nearest_place([*nodes, region], 5) is None


def test_an_aot_region_is_at_the_lines_that_it_was_traced_from() -> None:
    def region(*places: tuple[str, int]) -> list[dict[str, Any]]:
        lines = [{"file": file, "line": line, "function": "f", "code": ""} for file, line in places]
        return [{"index": 1, "name": "CompiledFunctionBackward2", "forward_lines": lines}]

    assert nearest_place(region(("/a/net.py", 12)), 1) == "net.py:12"
    assert nearest_place(region(("/a/net.py", 12), ("/a/net.py", 20), ("/b/x.py", 3)), 1) == (
        "net.py:12-20"
    )
    assert nearest_place([{**region()[0], "forward_lines": "?"}], 1) is None


def capture(**more: Any) -> Capture:
    return Capture(**{
        "id": 1, "process": 0, "rank": None, "pid": None, "file": "a.log", "line": 1,
        "kind": "unknown", **more,
    })  # fmt: skip


def test_what_changed_in_words() -> None:
    node = capture(kind="new_autograd_node", node=Node(2, "torch::autograd::SubBackward0"))
    assert what_changed(node) == "new autograd node SubBackward0 (NodeCall 2)"
    shapes = capture(
        kind="changed_shapes",
        sizes_changed=(0, 1),
        sizes_total=4,
        changes=(
            Change(1, "SumBackward0", "sizes[0]", 10, 100),
            Change(1, "SumBackward0", "sizes[1]", 10, 100),
        ),
    )
    assert what_changed(shapes) == "2 of 4 sizes changed; SumBackward0 sizes[0], sizes[1]: 10 → 100"
    assert what_changed(capture()) == "no reason in this log"
    assert what_changed(capture(kind="first")) == "first capture of this process"
    failed = capture(error="RuntimeError: no\nmore")
    assert what_changed(failed) == "the capture failed: RuntimeError: no"


def test_equal_changes_of_many_nodes_are_told_once() -> None:
    changes = tuple(
        Change(index, "torch::autograd::AccumulateGrad", ".grad", None, "defined")
        for index in range(29)
    )
    told = describe_changes(changes)
    assert told == "29 parameters got their first .grad"


@pytest.mark.parametrize(
    ("sizes", "previous", "hint"),
    [
        (47, (), "another node was there before"),
        (47, (47,), "the same node with another value baked in"),
        (33, (22,), "the same node with something more or less attached"),
    ],
)
def test_what_the_key_sizes_say(sizes: int, previous: tuple[int, ...], hint: str) -> None:
    found = capture(
        kind="new_autograd_node", node=Node(1, "X"), key_size=sizes, previous_key_sizes=previous
    )
    assert what_changed(found).endswith("; " + hint)


@pytest.mark.parametrize(
    ("file", "cwd", "width", "expected"),
    [
        ("/home/user/train.py", "/home/user", 60, "train.py:3"),
        ("/home/user/train.py", "/home/user/", 60, "train.py:3"),
        ("/home/username/train.py", "/home/user", 60, "/home/username/train.py:3"),
        ("C:\\work\\train.py", "C:\\work", 60, "train.py:3"),
        ("/home/user/a/b/train.py", None, 12, "…/b/train.py:3"),
        ("/home/user/a/b/quite_a_long_name.py", None, 5, "…/quite_a_long_name.py:3"),
    ],
)
def test_places(file: str, cwd: str | None, width: int, expected: str) -> None:
    assert shown_place(Frame(file, 3, "f", ""), cwd, width) == expected


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (None, "–"),
        (0.0, "0 s"),
        (0.0001, "< 1 ms"),
        (0.0312, "31 ms"),
        (0.5, "0.50 s"),
        (4.21, "4.2 s"),
        (12345.6, "12,345.6 s"),
    ],
)
def test_seconds(found: float | None, expected: str) -> None:
    assert duration(found) == expected


def test_nodes_are_counted_from_the_code() -> None:
    assert node_counts(GRAPH_CODE) == {"getitem": 2, "SumBackward0": 1}
    assert node_counts("    mul = sym_size_int * sym_size_int_1;  mul = None\n") == {"operator": 1}
