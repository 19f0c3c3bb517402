"""A short run that ends by itself, and what it notes for a comparison."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest
import torch

from ca_engine import schema, trace
from ca_engine.compat import patches
from ca_engine.trial.limit import BackwardLimit

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    found: list[Any] = []

    def artifact(kind: str, made: Any) -> None:
        assert kind == schema.TRIAL_RECORD
        found.append(made())

    monkeypatch.setattr(trace, "compact_artifact", artifact)
    return found


@pytest.fixture
def limit() -> Iterator[BackwardLimit]:
    """Watches every backward of the test, three at most."""
    limit = BackwardLimit(3)
    undo = patches.replace_backwards(limit.watched)
    yield limit
    undo()


@pytest.mark.long
def test_it_ends_at_the_backward_after_the_last_one_and_writes_once(
    written: list[Any], limit: BackwardLimit
) -> None:
    weight = torch.ones(2, requires_grad=True)
    for factor in (1.5, 0.5, float("nan")):
        (weight * factor).sum().backward()
    with pytest.raises(SystemExit) as ended:
        weight.sum().backward()
    limit.write(stopped=False)
    (record,) = written
    assert ended.value.code == 0
    assert record["losses"] == [3.0, 1.0, "nan"]
    assert record["stopped"] is True
    assert record["starts"][0] == 0.0
    assert len(record["starts"]) == 4
    # What one backward adds to `.grad` stays there for the next.
    assert [found[:2] for found in record["gradients"]] == [[1, 3.0], [1, 4.0], [1, "nan"]]


def test_a_program_that_ends_before_has_what_it_did(
    written: list[Any], limit: BackwardLimit
) -> None:
    limit.write(stopped=False)
    assert written == []  # nothing to write
    weight = torch.ones(2, requires_grad=True)
    roots = weight * 1, weight * 1j
    torch.autograd.grad(roots, weight, (torch.ones(2), torch.ones(2, dtype=torch.complex64)))
    limit.write(stopped=False)
    (record,) = written
    assert record["losses"] == [4.0]
    assert record["gradients"][0][0] == 1
    assert record["stopped"] is False


@pytest.mark.long
def test_what_asks_for_gradients_is_told_by_its_name(
    written: list[Any], limit: BackwardLimit
) -> None:
    """As an averaged copy that a patch turns gradients on for: no loss and no weight differs."""

    class Averaged(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.part = torch.nn.Linear(2, 1, bias=False)
            self.register_buffer("seen", torch.zeros(1))

    net = Averaged()
    average = copy.deepcopy(net).requires_grad_(False)
    free = torch.ones(3, 2)
    optimizer = torch.optim.SGD([free, *net.parameters()], lr=0.1)
    for step in range(2):
        if step:
            average.requires_grad_()
            free.requires_grad_()
        net.part(torch.ones(4, 2)).sum().backward()
        optimizer.step()
    limit.write(stopped=False)
    (record,) = written
    own = [name for name in record["asking_names"] if "Averaged" in name or "3x2" in name]
    assert own == ["Averaged.part.weight", "Averaged.part.weight", "SGD's 3x2 tensor"]
    assert record["asking"][1] - record["asking"][0] == 2
    first, second = record["weights"]
    assert first[0] == second[0]
    assert first[2] != second[2]  # one step was made
    assert record["buffers"][0] == record["buffers"][1]


@pytest.mark.long
def test_sparse_and_dense_gradients_of_the_same_values_have_equal_sums(
    written: list[Any], limit: BackwardLimit
) -> None:
    table = torch.randn(5, 2)
    for is_sparse in (False, True):
        rows = torch.nn.Embedding.from_pretrained(table.clone(), freeze=False, sparse=is_sparse)
        rows(torch.tensor([1, 1, 3])).square().sum().backward()
    limit.write(stopped=False)
    dense, sparse = written[0]["gradients"]
    assert dense == sparse
    assert dense[1] > 0


def test_a_backward_within_another_is_none_of_the_programs(
    written: list[Any], limit: BackwardLimit
) -> None:
    inputs = torch.ones(2, requires_grad=True)
    checkpoint: Any = torch.utils.checkpoint.checkpoint
    checkpoint(torch.sin, inputs, use_reentrant=True).sum().backward()
    limit.write(stopped=False)
    assert len(written[0]["losses"]) == 1


def test_calls_that_run_what_was_compiled_are_counted_apart(
    written: list[Any], limit: BackwardLimit
) -> None:
    @torch.compile(backend="eager")
    def double(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    undo = patches.watch_compiled_calls(limit.calls.changes)
    undo_graphs = patches.watch_graphs(
        limit.calls.graph_is_compiled, limit.calls.graph_runs, limit.calls.graph_gives
    )
    # Another watcher, as the recorder has one from the first recompile on.
    seen: list[int] = []
    undo_other = patches.watch_compiled_calls(lambda *change: seen.append(change[1]))
    try:
        for _ in range(3):
            double(torch.ones(2))
        with torch.compiler.set_stance("force_eager"):
            double(torch.ones(2))
        double(torch.ones(3))
    finally:
        undo_other()
        undo_graphs()
        undo()
    double(torch.ones(2))
    limit.write(stopped=False)
    (record,) = written
    assert (record["calls"]["compiled"], record["calls"]["eager"]) == (4, 1)
    assert record["calls"]["compiled_seconds"] > 0
    assert record["calls"]["eager_seconds"] > 0
    assert len(seen) == 10


def test_what_calls_give_is_noted_until_a_backward_runs(
    written: list[Any], limit: BackwardLimit
) -> None:
    @torch.compile(backend="eager")
    def both(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return x * 2, x + 1

    undo = patches.watch_compiled_calls(limit.calls.changes)
    undo_graphs = patches.watch_graphs(
        limit.calls.graph_is_compiled, limit.calls.graph_runs, limit.calls.graph_gives
    )
    try:
        both(torch.tensor([1.0, -3.0]))
        with torch.compiler.set_stance("force_eager"):
            both(torch.ones(2))
        both(torch.ones(2))
        noted = [one[:2] for one in limit.calls.results]
        torch.ones(2, requires_grad=True).sum().backward()
        both(torch.ones(2))
    finally:
        undo_graphs()
        undo()
    limit.write(stopped=False)

    # The call that ran eagerly gave nothing that could be compared.
    assert noted == [(2, 12.0), (0, 0.0), (2, 8.0)]
    assert written[0]["results"] == []
