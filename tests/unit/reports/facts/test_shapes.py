"""Shapes that a function was compiled for, and was given."""

from __future__ import annotations

from tests.unit.reports.causes.rules.recompiled import compiled, explained, graph, tensor


def test_a_stride_that_changes_while_no_size_does_is_the_layout() -> None:
    # GIVEN crops of two images of different width: their sizes are equal, and the batch is dynamic
    (found,) = explained(
        compiled(0, **graph(x=(None, 3, 32, 32))),
        compiled(
            1,
            "tensor 'x' stride mismatch at index 0. expected 3072, actual 3468",
            arguments={"x": tensor(20, 3, 32, 32)},
        ),
    ).diagnosis.findings
    assert found.code == "CA111"
    assert "`x` changed its memory layout: stride 3072 → 3468 in dimension 0" in found.message
