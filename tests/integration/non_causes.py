"""What looks like a cause of a recapture and was measured not to be one.

Run by ``test_non_causes.py``. Each case runs in a forked child of its own, so that one import
of torch serves all and no case sees what another has captured; the child's process id is
printed beside the name of its case.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True

STEPS = 4
Case = Callable[[], None]
CASES: dict[str, Case] = {}


def case(function: Case) -> Case:
    CASES[function.__name__] = function
    return function


def backward_of() -> Callable[[torch.Tensor], None]:
    @torch.compile(backend="eager")
    def backward(loss: torch.Tensor) -> None:
        loss.backward()

    return backward


def steps(loss_of: Callable[[int, nn.Module, torch.Tensor], torch.Tensor]) -> None:
    """Trains a small model for some steps; ``loss_of`` gets step, model and inputs."""
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 3))
    backward = backward_of()
    for step in range(STEPS):
        model.zero_grad()
        backward(loss_of(step, model, torch.randn(8, 6)))


@case
def multiplied_by_a_number() -> None:
    steps(lambda step, model, x: (model(x) * (0.5 + step)).sum())


@case
def divided_by_a_number() -> None:
    steps(lambda step, model, x: (model(x) / (0.5 + step)).sum())


@case
def added_to_a_number() -> None:
    steps(lambda step, model, x: (model(x) + (0.5 + step)).sum())


@case
def loss_scaling() -> None:
    steps(lambda step, model, x: model(x).square().mean() * 2.0 ** (10 + step))


@case
def loss_divided_by_accumulation_steps() -> None:
    steps(lambda step, model, x: model(x).square().mean() / (1 + step))


@case
def softmax_temperature() -> None:
    steps(lambda step, model, x: torch.softmax(model(x) / (1.0 + step), dim=1)[:, 0].sum())


@case
def dropout_probability() -> None:
    steps(lambda step, model, x: nn.functional.dropout(model(x), p=0.1 + 0.1 * step).sum())


@case
def masked_fill_value() -> None:
    steps(lambda step, model, x: model(x).masked_fill(torch.ones(3) > 2, 0.5 + step).sum())


@case
def where_value() -> None:
    steps(lambda step, model, x: torch.where(torch.ones(3) > 0, model(x), 0.5 + step).sum())


def hooked(hook_of: Callable[[], Any]) -> None:
    model = nn.Linear(6, 3)
    backward = backward_of()
    for _ in range(STEPS):
        model.zero_grad()
        out = model(torch.randn(8, 6))
        out.register_hook(hook_of())
        backward(out.sum())


@case
def the_same_lambda_registered_anew() -> None:
    hooked(lambda: lambda grad: grad * 2)


@case
def the_same_function_registered_anew() -> None:
    def hook_of() -> Any:
        def double(grad: torch.Tensor) -> torch.Tensor:
            return grad * 2

        return double

    hooked(hook_of)


class Doubler:
    def double(self, grad: torch.Tensor) -> torch.Tensor:
        return grad * 2


@case
def the_same_method_registered_anew() -> None:
    doubler = Doubler()
    hooked(lambda: doubler.double)


@case
def a_new_model_of_the_same_architecture() -> None:
    backward = backward_of()
    for _ in range(STEPS):
        backward(nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 3))(ones()).sum())


def ones() -> torch.Tensor:
    return torch.ones(8, 6)


@case
def a_replaced_parameter() -> None:
    def loss_of(step: int, model: Any, x: torch.Tensor) -> torch.Tensor:
        model[0].weight = nn.Parameter(torch.randn(12, 6))
        return model(x).sum()

    steps(loss_of)


@case
def replaced_data() -> None:
    def loss_of(step: int, model: Any, x: torch.Tensor) -> torch.Tensor:
        model[0].weight.data = torch.randn(12, 6)
        return model(x).sum()

    steps(loss_of)


@case
def wrapped_with_compile_again() -> None:
    model = nn.Linear(6, 3)
    for _ in range(STEPS):
        model.zero_grad()
        backward_of()(model(torch.randn(8, 6)).sum())


@case
def models_of_one_architecture_in_turn() -> None:
    models = [nn.Linear(6, 3) for _ in range(2)]
    backward = backward_of()
    for step in range(STEPS):
        model = models[step % 2]
        model.zero_grad()
        backward(model(torch.randn(8, 6)).sum())


@case
def retained_graph() -> None:
    model = nn.Linear(6, 3)

    @torch.compile(backend="eager")
    def backward(loss: torch.Tensor) -> None:
        loss.backward(retain_graph=True)

    for _ in range(STEPS):
        model.zero_grad()
        backward(model(torch.randn(8, 6)).sum())


def around_backward(context_of: Callable[[int], Any]) -> None:
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 3))
    compiler = torch.compile(backend="eager")
    for step in range(STEPS):
        model.zero_grad()
        loss = model(torch.randn(8, 6)).sum()
        enabled = torch._dynamo.compiled_autograd._enable(compiler, dynamic=False)
        with enabled, context_of(step):
            loss.backward()


@case
def the_profiler() -> None:
    cpu = [torch.profiler.ProfilerActivity.CPU]
    around_backward(
        lambda step: torch.profiler.profile(activities=cpu) if step % 2 else nullcontext()
    )


@case
def anomaly_mode_without_nan_checks() -> None:
    def context_of(step: int) -> Any:
        return torch.autograd.set_detect_anomaly(bool(step % 2), check_nan=False)

    around_backward(context_of)


@case
def no_grad_around_some_backwards() -> None:
    around_backward(lambda step: torch.no_grad() if step % 2 else nullcontext())


@case
def identical_branches_in_another_order() -> None:
    branches = [nn.Linear(6, 3) for _ in range(3)]
    backward = backward_of()
    for step in range(STEPS):
        for branch in branches:
            branch.zero_grad()
        order = branches[step % 3 :] + branches[: step % 3]
        x = torch.randn(8, 6)
        backward(sum(branch(x) for branch in order).sum())


@case
def saved_tensor_hooks_that_are_lambdas() -> None:
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 3))
    backward = backward_of()
    for _ in range(STEPS):
        model.zero_grad()
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            loss = model(torch.randn(8, 6)).sum()
        backward(loss)


class Tagged(torch.Tensor):
    pass


@case
def a_simple_tensor_subclass() -> None:
    steps(lambda step, model, x: model(x.as_subclass(Tagged)).sum())


def run_forked(name: str) -> bool:
    """Runs one case in a child; whether it ended well."""
    pid = os.fork()
    if not pid:
        failed = True
        try:
            torch.manual_seed(0)
            CASES[name]()
            failed = False
        finally:
            # `os._exit` skips what the recorder writes at the end.
            atexit._run_exitfuncs()
            os._exit(failed)
    print(f"{name} {pid}", flush=True)
    return os.waitpid(pid, 0)[1] == 0


def main() -> int:
    names = sys.argv[1:] or list(CASES)
    ended_well = [run_forked(name) for name in names]
    return int(not all(ended_well))


if __name__ == "__main__":
    sys.exit(main())
