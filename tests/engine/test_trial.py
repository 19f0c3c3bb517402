"""A short run that ends by itself."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from ca_engine import schema, trace, trial


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    found: list[Any] = []

    def artifact(kind: str, made: Any) -> None:
        assert kind == schema.TRIAL_RECORD
        found.append(made())

    monkeypatch.setattr(trace, "compact_artifact", artifact)
    return found


def run_backward(limit: trial.BackwardLimit, *t_outputs: Any) -> None:
    """As torch calls it: the caller's caller holds the roots."""
    (lambda: limit.backward_starts())()
    del t_outputs


def test_it_ends_at_the_backward_after_the_last_one_and_writes_once(written: list[Any]) -> None:
    limit = trial.BackwardLimit(2)
    limit.stance_entered("force_eager")
    for loss in (1.5, float("nan")):
        run_backward(limit, torch.tensor(loss))
    with pytest.raises(SystemExit) as ended:
        run_backward(limit, torch.tensor(0.5))
    limit.write(stopped=False)
    (record,) = written
    assert ended.value.code == 0
    assert record["losses"] == [1.5, "nan"]
    assert record["stopped"] is True
    assert record["stances"] == {"force_eager": 1}
    assert record["starts"][0] == 0.0
    assert len(record["starts"]) == 3


def test_a_program_that_ends_before_has_what_it_did(written: list[Any]) -> None:
    limit = trial.BackwardLimit(5)
    limit.write(stopped=False)
    assert written == []  # nothing to write
    run_backward(limit, torch.ones(2), torch.ones(3) * 1j)
    limit.write(stopped=False)
    (record,) = written
    assert record["losses"] == [5.0]
    assert record["stopped"] is False
