"""The rules about sizes, on hand-built runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ca_reports.model import Compile, Frame
from tests.unit.reports.rules.captured import (
    CALL,
    captures,
    findings,
    graph,
    leaf,
    node,
    ran,
    recompile,
)


def region(aot_id: int, rows: int) -> list[dict[str, Any]]:
    """A backward whose forward is one AOT region, of which ``rows`` is the batch."""
    saved = {"saved[0]": {"shape": [rows, 16], "dtype": "torch.float32", "alias": 0}}
    compiled = node(
        "CompiledFunctionBackward",
        aot_id=aot_id,
        attributes={"symints": [rows]} if aot_id else {},
        tensors=saved,
    )
    return graph(compiled, leaf("weight"))


def test_a_short_batch_that_recompiles_an_aot_region_is_one_finding() -> None:
    # GIVEN a forward that Dynamo compiles again for the short batch, and a backward that is
    # captured again when the full one is back: no guard fails then, only sizes change
    first, short, full = captures(region(0, 8), region(1, 3), region(1, 8))
    made = (
        first,
        replace(short, step=9, time=9.5),
        replace(full, step=10, time=10.5, kind="changed_shapes"),
    )
    forward = Compile(
        compile_id="0/1",
        process=0,
        rank=None,
        pid=1,
        capture=None,
        recompile_reason="0/0: tensor 'inputs' size mismatch at index 0. expected 8, actual 3",
        location=CALL,
        time=9.2,
    )

    # WHEN it is diagnosed
    (found,) = findings(made, (forward,))

    # THEN all of it is the last batch
    assert found.code == "CA101"
    assert "from 8 to 3" in found.message
    assert found.message.endswith("and back: a short last batch")
    assert set(found.captures) == {"!1", "!2"}
    assert found.compile_ids == ("0/1",)


def test_a_short_batch_of_a_penalty_is_that_of_both_backwards() -> None:
    # GIVEN a slope that is differentiated again: its compiled backward is a region of the loss's.
    # For the short batch that is recompiled, and the full batches run on it since
    penalty = Frame("train.py", 9, "main", "grad(score, x, create_graph=True)")
    slope = graph(node("TanhBackward0"), leaf("scale"), output="TanhBackward0")
    first, loss, short = captures(slope, region(0, 8), region(1, 3), calls=(penalty, CALL, CALL))
    (_, full) = captures(region(0, 8), region(1, 8))
    (replaced,) = (one for one in full.changes if one.attribute == "aot_id")
    made = (
        first,
        loss,
        replace(short, step=5, time=5.0),
        replace(full, id=3, step=9, time=9.0, closest_capture=1, changes=(replaced,)),
    )
    shrunk = recompile(1, "tensor 'sizes[0]' size mismatch at index 1. expected 8, actual 3")
    grown = recompile(1, "tensor 'sizes[0]' size mismatch at index 1. expected 3, actual 8")
    compiles = (
        replace(shrunk, time=4.2, location=penalty),
        replace(grown, compile_id="!2/2/1", capture=2, time=7.2,
                recompile_reason=f"!2/2/0: {(grown.recompile_reason or '').partition(': ')[2]}"),
    )  # fmt: skip
    found = {
        one.code: one
        for one in findings(made, compiles, backwards=ran(0, 1, 0, 1, 0, 2, 0, 2, 0, 3))
    }

    assert found.keys() <= {"CA101", "CA209"}
    assert set(found["CA101"].captures) == {"!2", "!3"}
    assert set(found["CA101"].compile_ids) == {"!0/0/1", "!2/2/1"}


def clipped(bound: float, rows: int) -> list[dict[str, Any]]:
    """A backward with a number of the user's, and rows that are samples."""
    clamp = node("ClampBackward1", attributes={"max": bound})
    loss = node(
        "MseLossBackward0",
        tensors={"self": {"shape": [rows], "dtype": "torch.float32", "alias": 0}},
    )
    return graph(clamp, loss, leaf("weight"))


@pytest.mark.parametrize("dynamic", [None, True])
def test_a_short_batch_behind_a_number_that_changes_each_time_is_a_cause(
    dynamic: bool | None,
) -> None:
    # GIVEN a bound that is annealed, and a short batch in the third step
    rows = [8, 8, 3, 8, 8]
    made = tuple(
        replace(capture, data={"batch": (size, 4)})
        for capture, size in zip(
            captures(*(clipped(1.2 - step / 10, size) for step, size in enumerate(rows))),
            rows,
            strict=True,
        )
    )

    # WHEN it is diagnosed
    found = {each.code: each for each in findings(made, dynamic=dynamic)}

    # THEN the batch is told beside the bound, unless any size was asked for
    assert found["CA206"].captures[0] == "!1"
    assert ("CA101" in found) is (dynamic is None)
    if dynamic is None:
        assert "from 8 to 3" in found["CA101"].message
        assert found["CA101"].captures == ("!2",)


def test_data_of_another_kind_with_other_nodes_is_no_short_batch() -> None:
    made = captures(
        clipped(1.0, 8),
        graph(
            node(
                "MeanBackward0",
                tensors={"self": {"shape": [3], "dtype": "torch.float32", "alias": 0}},
            ),
            leaf("w"),
        ),
    )
    sized = [
        replace(one, data={"batch": (rows, 4)}) for one, rows in zip(made, (8, 3), strict=True)
    ]
    assert "CA101" not in {each.code for each in findings(tuple(sized))}


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
