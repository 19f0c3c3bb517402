"""Sizes of backwards that change."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.unit.reports.causes.rules.captured import (
    captures,
    findings,
    graph,
    leaf,
    node,
)


def attended(rows: int, *copied: str, grad: bool = False) -> list[dict[str, Any]]:
    """A backward of ``rows`` samples, in which a permuted tensor is viewed or ``copied``."""
    loss = node(
        "BinaryCrossEntropyBackward0",
        tensors={"self": {"shape": [rows], "dtype": "torch.float32", "alias": 0}},
    )
    return graph(loss, *map(node, copied), leaf("weight", grad=grad))


def test_a_batch_of_one_needs_no_copy_and_is_another_size_still() -> None:
    # GIVEN a batch of one, of which any strides will do: a view is made where others are copied
    copied = ("UnsafeViewBackward0", "CloneBackward0")
    made = captures(attended(8, *copied), attended(1, "ReshapeAliasBackward0"))
    sized = [
        replace(one, data={"batch": (rows, 4)}) for one, rows in zip(made, (8, 1), strict=True)
    ]
    assert [each.code for each in findings(tuple(sized))] == ["CA102"]


def test_a_layout_that_changes_along_with_first_gradients_is_a_cause_of_its_own() -> None:
    made = captures(
        attended(8, "ViewBackward0"),
        attended(8, "UnsafeViewBackward0", "CloneBackward0", grad=True),
        attended(8, "ViewBackward0", grad=True),
    )
    found = {each.code: each for each in findings(made)}
    assert set(found) == {"CA111", "CA201"}
