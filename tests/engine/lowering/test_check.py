"""``CA_LOWERING=check``: silent on what is exact, one clear error on what is not."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from ca_engine.capture.compiler import CaptureCompiler
from ca_engine.lowering import assemble, direct, level2
from ca_engine.lowering.check import LoweringDifferenceError, tensor_difference
from ca_engine.lowering.modes import Mode
from tests.engine.conftest import CHECK_LOWERING, Backward, Outcome, gradient, leaf, run_under
from tests.engine.lowering.test_every_program import ENGINE, PROGRAMS


def checked(run: Callable[[Backward], Any], backend: str) -> Outcome:
    return run_under(CaptureCompiler, run, backend=backend, lowering=Mode.CHECK)


def training(backward: Backward) -> Any:
    model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Dropout(0.5), nn.Linear(4, 2))
    for _ in range(3):
        backward(model(torch.ones(3, 4)).square().sum())
    return [gradient(parameter) for parameter in model.parameters()]


def frozen_layer_with_a_grad(backward: Backward) -> Any:
    """A leaf in the graph that nothing is accumulated into keeps the ``.grad`` it has."""
    x, weight = leaf(3), leaf(3)
    weight.grad = torch.full((3,), 5.0)
    for _ in range(2):
        with backward.enabled():
            (x * weight).sum().backward(inputs=[x])
    return x.grad, weight.grad


@pytest.mark.parametrize("run", [training, frozen_layer_with_a_grad])
@pytest.mark.parametrize(
    "backend", ["eager", "aot_eager", pytest.param("inductor", marks=pytest.mark.long)]
)
def test_both_ways_run_and_the_results_are_the_ordinary_ones(run: Any, backend: str) -> None:
    expected = run_under(CaptureCompiler, run, backend=backend)
    got = checked(run, backend)
    torch.testing.assert_close(got.result, expected.result, rtol=0, atol=0)
    assert got.left == expected.left
    assert set(got.ways) == {"lowered"}


def test_a_graph_that_calls_python_code_runs_once() -> None:
    calls = []

    def run(backward: Backward) -> Any:
        x = leaf(3)
        x.register_hook(lambda grad: calls.append(1))
        backward((x * 2).sum())
        return x.grad

    assert checked(run, "eager").ways == ["lowered"]
    assert len(calls) == 1


# What is broken on purpose


def spoiled(way: Any, spoil: Callable[[Any, list[Any]], Any]) -> Callable[..., Any]:
    """``way.run``, whose inputs and results ``spoil`` may change afterwards."""
    stock = way.run

    def run(self: Any, inputs: list[torch.Tensor], *rest: Any) -> Any:
        own = list(inputs)
        return spoil(stock(self, inputs, *rest), own)

    return run


def other_value(outputs: Any, inputs: list[Any]) -> Any:
    grad = next(each.grad for each in inputs if each.grad is not None)
    grad.view(-1)[0] += 1e-6
    return outputs


def other_strides(outputs: Any, inputs: list[Any]) -> Any:
    variable = next(each for each in inputs if each.grad is not None and each.dim() == 2)
    variable.grad = variable.grad.t().contiguous().t()
    return outputs


def no_gradient(outputs: Any, inputs: list[Any]) -> Any:
    next(each for each in inputs if each.grad is not None).grad = None
    return outputs


def draws_a_random_number(outputs: Any, inputs: list[Any]) -> Any:
    torch.rand(())
    return outputs


def writes_to_an_input(outputs: Any, inputs: list[Any]) -> Any:
    inputs[0].data.add_(1)
    return outputs


def raises(outputs: Any, inputs: list[Any]) -> Any:
    raise ZeroDivisionError("on purpose")


@pytest.mark.parametrize("way", [direct.Direct, level2.Level2])
@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (other_value, "values differ"),
        (other_strides, "strides (1, "),
        (no_gradient, "nothing, with Dynamo a tensor"),
        (draws_a_random_number, "the state of random numbers"),
        (writes_to_an_input, "values differ"),
        (raises, "it raises ZeroDivisionError: on purpose"),
    ],
)
def test_what_differs_is_one_clear_error(
    way: Any, spoil: Any, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(way, "run", spoiled(way, spoil))
    backend = "eager" if way is direct.Direct else "aot_eager"
    with pytest.raises(LoweringDifferenceError) as raised:
        checked(training, backend)
    text = str(raised.value)
    assert text.startswith("CA_LOWERING=check: capture ")
    assert words in text
    assert "\n" not in text


def test_a_grad_that_is_made_anew_in_place_of_being_added_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def anew(outputs: Any, inputs: list[Any]) -> Any:
        for each in inputs:
            if each.grad is not None:
                each.grad = each.grad.clone()
        return outputs

    monkeypatch.setattr(level2.Level2, "run", spoiled(level2.Level2, anew))
    with pytest.raises(LoweringDifferenceError, match=r"is added to in place: None, with Dynamo"):
        checked(training, "aot_eager")


def test_another_aten_graph_is_an_error_though_its_results_are_equal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stock = assemble._Assembler._finish

    def with_a_detour(self: Any, returned: Any) -> Any:
        aten = stock(self, returned)
        (output,) = aten.graph.find_nodes(op="output")
        first = output.args[0][0]
        with aten.graph.inserting_before(output):
            again = aten.graph.call_function(torch.ops.aten.clone.default, (first,))
        again.meta = dict(first.meta)
        output.args = ((again, *output.args[0][1:]),)
        return aten

    monkeypatch.setattr(assemble._Assembler, "_finish", with_a_detour)
    with pytest.raises(LoweringDifferenceError, match=r"row \d+ of the ATen graph is"):
        checked(training, "aot_eager")


def test_after_an_error_the_training_has_what_it_would_have_had(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = leaf(3)

    def run(backward: Backward) -> Any:
        with pytest.raises(LoweringDifferenceError):
            backward((x * 2).sum())

    monkeypatch.setattr(level2.Level2, "run", spoiled(level2.Level2, other_value))
    checked(run, "aot_eager")
    assert gradient(x).tolist() == [2.0] * 3


@pytest.mark.parametrize(
    ("one", "two", "equal"),
    [
        (torch.tensor([float("nan")]), torch.tensor([float("nan")]), True),
        (torch.tensor([0.0]), torch.tensor([-0.0]), False),
        (torch.zeros(0, 3), torch.zeros(0, 3), True),
        (torch.ones(2).expand(3, 2), torch.ones(2).expand(3, 2), True),
        (torch.ones(3, 2), torch.ones(2).expand(3, 2), False),
        (torch.ones(2, dtype=torch.bool), torch.ones(2, dtype=torch.bool), True),
        (torch.ones(2, dtype=torch.complex64), torch.ones(2, dtype=torch.complex64), True),
        (torch.eye(2).to_sparse(), torch.eye(2).to_sparse(), True),
        (torch.eye(2).to_sparse(), torch.eye(2).to_sparse() * 2, False),
        (torch.eye(2).to_sparse(), torch.eye(2), False),
        (torch.eye(2).to_sparse(), torch.eye(2).flip(0).to_sparse(), False),
    ],
)
def test_tensors_are_compared_to_the_bit(one: Any, two: Any, equal: bool) -> None:
    assert (tensor_difference(one, two) is None) == equal


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("programs", PROGRAMS)
@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_every_program_of_the_engines_tests_is_silent(backend: str, programs: str) -> None:
    options = ["-q", "-p", "no:cacheprovider", "--timeout=1800"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(ENGINE / programs)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[3],
        env={**os.environ, CHECK_LOWERING: backend},
    )
    assert done.returncode == 0, done.stdout[-5000:]
