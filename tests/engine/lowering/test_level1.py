"""The captured code, traced by AOTAutograd: the graph that it makes of Dynamo's, the same bits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch

import ca_engine
from ca_engine.compat import compiled_autograd
from ca_engine.compat.versions import torch_version
from ca_engine.lowering import level1, lowered
from ca_engine.lowering.modes import Mode
from tests.engine.conftest import Backward, leaf
from tests.engine.lowering.aten_graphs import compare_lowering
from tests.engine.lowering.guarded import watch_guards
from tests.engine.lowering.test_level2 import PROGRAMS, REFUSED, for_backends

# What templates can't do and AOTAutograd can.
LEFT = [name for name, (_, ways) in REFUSED.items() if set(ways) <= lowered.LEFT_TO_LEVEL_1]


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[level1.Level1]:
    """Gets each run of a graph that took this way."""
    found: list[level1.Level1] = []
    stock = level1.Level1.run

    def noting(self: level1.Level1, *args: Any) -> Any:
        found.append(self)
        return stock(self, *args)

    monkeypatch.setattr(level1.Level1, "run", noting)
    return found


@pytest.mark.parametrize(("name", "backend"), for_backends(PROGRAMS))
def test_graphs_are_those_that_aotautograd_makes_of_dynamos(
    name: str, backend: str, runs: list[Any]
) -> None:
    outcome = compare_lowering(PROGRAMS[name], backend=backend, mode=Mode.L1)
    assert set(outcome.ways) == {"lowered"}
    assert runs


@pytest.mark.parametrize(("name", "backend"), for_backends(LEFT))
def test_it_takes_what_templates_cannot_do(name: str, backend: str, runs: list[Any]) -> None:
    run, ways = REFUSED[name]
    outcome = compare_lowering(run, backend=backend)
    assert set(outcome.ways) == {"lowered"}
    assert len(runs) >= len(ways)


def test_there_is_something_that_templates_cannot_do() -> None:
    assert len(LEFT) >= 7


@pytest.mark.long
@pytest.mark.parametrize("name", LEFT)
def test_inductor_gives_the_same_bits(name: str) -> None:
    run, _ = REFUSED[name]
    outcome = compare_lowering(run, backend="inductor", run_inductor=True)
    assert set(outcome.ways) == {"lowered"}


def sharing_that_changes(backward: Backward) -> Any:
    x, y = leaf(3), leaf(3)
    weight = torch.randn(3)
    buffer = torch.zeros(9)
    for grads in (
        [buffer[:3], buffer[3:6]],
        [buffer[:3], buffer[3:6]],
        [buffer[3:6], buffer[6:]],
        [torch.zeros(3), torch.zeros(3)],
    ):
        x.grad, y.grad = grads
        backward((x * weight + y * 2).sum())
    return x.grad, y.grad, buffer


def a_saved_tensor_that_comes_to_share(backward: Backward) -> Any:
    x = leaf(3)
    for shared in (True, True, False, True):
        x.grad = torch.ones(3)
        backward((x * (x.grad.view(3) if shared else torch.full((3,), 2.0))).sum())
    return x.grad


@pytest.mark.parametrize(
    "run",
    [
        sharing_that_changes,
        pytest.param(
            a_saved_tensor_that_comes_to_share,
            marks=pytest.mark.skipif(
                torch_version() < (2, 13), reason="AOTAutograd of this torch fails with it"
            ),
        ),
    ],
)
def test_it_is_guarded_how_inputs_share_memory(
    run: Callable[[Backward], Any], runs: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = watch_guards(monkeypatch)
    compare_lowering(run, backend="aot_eager")
    assert len(runs) >= 2
    assert "inputs share memory in another way" in failed


def strides_of_a_grad_that_is_read(backward: Backward) -> Any:
    x = leaf(3, 3)
    for grad in (torch.ones(3, 3), torch.ones(3, 3).t(), torch.ones(3, 3)):
        x.grad = grad.clone()
        backward((x * x.grad).sum())
    return x.grad


def test_strides_are_guarded(runs: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    failed = watch_guards(monkeypatch)
    compare_lowering(strides_of_a_grad_that_is_read, backend="aot_eager")
    assert runs
    assert any("stride mismatch" in text for text in failed)


def results_of_every_kind(backward: Backward) -> Any:
    """An input, a view of one, one twice, none, and a new one; ``.grad`` beside them."""
    x, y, z, unused = leaf(3), leaf(3, 1), leaf(3), leaf(2)
    given = torch.ones(3)
    out = x + y.view(3) + z * 2
    return backward.grad(out, [x, y, z, x, unused], given, allow_unused=True)


def test_results_of_every_kind(runs: list[Any]) -> None:
    compare_lowering(results_of_every_kind, backend="aot_eager")
    assert runs


def test_what_holds_for_no_way_is_refused_without_a_second_try(runs: list[Any]) -> None:
    run, ways = REFUSED["a_sparse_gradient"]
    assert compare_lowering(run, backend="aot_eager").ways == ways
    run, ways = REFUSED["a_hook"]
    assert compare_lowering(run, backend="aot_eager", mode=Mode.L1).ways == ways
    assert not runs


def test_a_process_whose_first_graph_accumulates_nothing(
    recorded: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The function that accumulates is bound by the first graph that calls it."""
    monkeypatch.delattr(compiled_autograd.op_registry(), "AccumulateGrad", raising=False)

    def run() -> None:
        x = torch.ones(3, requires_grad=True)
        with ca_engine.enable(partial(torch.compile, backend="aot_eager"), lowering=True):
            torch.autograd.grad(x.sum(), x)

    (record,) = recorded(run)
    assert (record["way"], record["reason"]) == ("l1", "output_alias")
