"""``ca_trial``: read, and never trusted."""

from __future__ import annotations

from typing import Any

import pytest

from ca_reports.run.build.trials import read_trial
from ca_reports.run.model import TensorSum, TrialCalls


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ([[2, 1.5, 7], [1, "nan", 3]], (TensorSum(2, 1.5, 7), TensorSum(1, "nan", 3))),
        ([[1, 2], "x", [1, None, 3], [-1, 1.0, 3], [1, 1.0, 3, 4]], (TensorSum(1, 1.0, 3),)),
        ("x", ()),
        (None, ()),
    ],
)
def test_sums(raw: Any, expected: tuple[TensorSum, ...]) -> None:
    trial = read_trial({"gradients": raw, "weights": raw, "buffers": raw, "results": raw})
    assert trial.gradients == trial.weights == trial.buffers == trial.results == expected


def test_what_is_no_number_is_left_out() -> None:
    trial = read_trial(
        {
            "starts": [0.0, "x", 2.0],
            "losses": [1.5, None, {}, "inf"],
            "asking": [2, "x", -1],
            "asking_names": ["a", 3],
            "compiles": [1, 1.5],
            "skipped": "x",
            "calls": {"compiled": 3, "eager": "x", "compiled_seconds": 0.5, "eager_seconds": -1},
        }
    )
    assert (trial.starts, trial.losses) == ((0.0, 0.0, 2.0), (1.5, "inf"))
    assert (trial.asking, trial.asking_names, trial.compiles) == ((2,), ("a",), (1,))
    assert (trial.skipped, trial.calls, trial.calls.all) == (0, TrialCalls(3, 0, 0.5), 3)
    assert read_trial({}).calls == TrialCalls()
