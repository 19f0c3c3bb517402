"""Names in words."""

from __future__ import annotations

import pytest

from ca_reports.words.values import operation


@pytest.mark.parametrize(
    ("node", "told"),
    [
        ("MeanBackward0", "mean"),
        ("NllLossBackward0", "nll_loss"),
        ("UpsampleNearest1DBackward0", "upsample_nearest1d"),
        ("CompiledFunctionBackward", "compiled_function"),
        ("torch::autograd::AccumulateGrad", "AccumulateGrad"),
    ],
)
def test_a_node_is_told_as_its_operation(node: str, told: str) -> None:
    assert operation(node) == told
