from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ca_reports.run.model import Capture, Change, Node
from ca_reports.sentences.captures import describe_changes, what_changed, why_another_node


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


def test_why_torch_names_another_node() -> None:
    node = Node(4, "torch::autograd::AddmmBackward0")
    relu = Change(2, "ReluBackward0", "node", None, "ReluBackward0")
    other = capture(kind="new_autograd_node", node=node, changes=(relu,), closest_capture=0)
    assert why_another_node(other) == (
        "torch names AddmmBackward0 (NodeCall 4), the first node where no earlier capture matches. "
        "Compared with the closest one, !0, the first difference is ReluBackward0 (NodeCall 2)."
    )
    same = Change(4, "AddmmBackward0", "sizes[0]", 1, 2)
    assert why_another_node(replace(other, changes=(relu, same))) is None
    assert why_another_node(replace(other, changes=())) is None
    assert why_another_node(replace(other, node=None)) is None


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
