"""Graphs of Dynamo's: ``aot_eager``'s bits before the swap, inductor's after it."""

from __future__ import annotations

import copy
import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import nn
from torch._dynamo.source import ConstantSource
from torch._functorch import config as functorch_config
from torch._guards import DuplicateInputs, TracingContext
from torch._inductor import config as inductor_config
from torch.fx.experimental.symbolic_shapes import DimDynamic
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

import ca_engine
from ca_engine import trace
from ca_engine.compat import dynamo_graphs, versions
from ca_engine.lowering.background import dynamo_job, worker
from ca_engine.lowering.background.dynamo_job import CannotSendError
from ca_engine.lowering.background.worker import InductorError, WorkerError
from tests.engine.lowering.background.conftest import PATIENCE
from tests.engine.lowering.background.swapping import Step, bits, empty_caches, one, run, swaps

pytestmark = [
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        not versions.compiles_graphs_elsewhere(), reason="off with this version of torch"
    ),
]

STEPS = range(4)


def training(
    module: Callable[[], nn.Module],
    shape: Callable[[int], tuple[int, ...]] = lambda _: (4, 8),
    forward: Callable[[nn.Module], Callable[..., torch.Tensor]] = lambda made: made,
    **options: Any,
) -> Callable[[str], Step]:
    """A forward and its backward; each step begins with the same weights and buffers."""

    def make(backend: str) -> Step:
        torch.manual_seed(0)
        made = module()
        first = copy.deepcopy(made.state_dict())
        compiled = torch.compile(forward(made), backend=backend, **options)

        def step(number: int) -> list[torch.Tensor]:
            made.load_state_dict(first)
            made.zero_grad()
            found = compiled(torch.randn(shape(number)))
            found.float().square().sum().backward()
            grads = [each.grad for each in made.parameters() if each.grad is not None]
            return [found, *grads, *(each.clone() for each in made.buffers())]

        return step

    return make


def layers() -> nn.Module:
    return nn.Sequential(nn.Linear(8, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 8))


def dropping() -> nn.Module:
    return nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.ReLU(), nn.Dropout(0.3))


def convolving() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()
    )


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(8, 8)
        self.second = nn.Linear(8, 8, bias=False)
        self.second.weight = self.first.weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(torch.tanh(self.first(x)))


class InPlace(nn.Module):
    """Writes to a buffer, to a view of an activation and to its input's copy."""

    mean: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.register_buffer("mean", torch.zeros(8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.linear(x)
        self.mean.lerp_(x.detach().mean(0), 0.1)
        y = x * 1.0
        y[:, :4].mul_(2.0)
        return (y + self.mean).t()


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.wide = nn.Linear(8, 24)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = self.wide(x).view(-1, 2, 3, 2, 4).permute(2, 0, 3, 1, 4)
        return functional.scaled_dot_product_attention(q, k, v, is_causal=True)


def autocasting(made: nn.Module) -> Callable[..., torch.Tensor]:
    def forward(x: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            found: torch.Tensor = made(x)
        return found

    return forward


def checkpointing(made: nn.Module) -> Callable[..., torch.Tensor]:
    def forward(x: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = checkpoint(made, x, use_reentrant=False)
        return found * 2

    return forward


def breaking(made: nn.Module) -> Callable[..., torch.Tensor]:
    def forward(x: torch.Tensor) -> torch.Tensor:
        x = made(x)
        torch._dynamo.graph_break()
        return made(x.sin())

    return forward


def stepping(kind: Callable[..., torch.optim.Optimizer], **options: Any) -> Callable[[str], Step]:
    """The optimizer's step is what is compiled."""

    def make(backend: str) -> Step:
        torch.manual_seed(0)
        made = nn.Linear(8, 3)
        optimizer = kind(made.parameters(), lr=0.01, **options)
        for each in made.parameters():
            each.grad = torch.ones_like(each)
        optimizer.step()
        weights = copy.deepcopy(made.state_dict())
        state = copy.deepcopy(optimizer.state_dict())
        compiled = torch.compile(optimizer.step, backend=backend)

        def step(_: int) -> list[torch.Tensor]:
            with torch.no_grad():
                made.load_state_dict(weights)
                for mine, then in zip(
                    optimizer.state.values(), state["state"].values(), strict=True
                ):
                    for name, value in then.items():
                        if isinstance(value, torch.Tensor):
                            mine[name].copy_(value)
                for each in made.parameters():
                    each.grad = torch.randn_like(each)
            compiled()
            return [each.detach().clone() for each in made.parameters()]

        return step

    return make


def without_gradients(backend: str) -> Step:
    torch.manual_seed(0)
    made = nn.Sequential(dropping(), nn.Softmax(-1))
    compiled = torch.compile(made, backend=backend)

    def step(_: int) -> list[torch.Tensor]:
        with torch.no_grad():
            return [compiled(torch.randn(4, 8))]

    return step


def one_that_gets_a_number(backend: str) -> Step:
    compiled = torch.compile(lambda x, n: (x * n).cumsum(0)[1:], backend=backend)
    return lambda _: [compiled(torch.randn(5, 3), 3)]


def one_that_gets_changing_numbers(backend: str) -> Step:
    """Dynamo gives the graph a tensor for the number, and takes its item there."""
    compiled = torch.compile(
        lambda x, n: ((x * n).sin() + n).cumsum(0)[1:], backend=backend, dynamic=True
    )

    def step(number: int) -> list[torch.Tensor]:
        x = torch.randn(5, 3, requires_grad=True)
        found = compiled(x, 0.5 + number)
        found.square().sum().backward()
        assert x.grad is not None
        return [found, x.grad]

    return step


PROGRAMS: dict[str, Callable[[str], Step]] = {
    "layers": training(layers),
    "dropout": training(dropping),
    "convolution": training(convolving, lambda _: (2, 3, 8, 8)),
    "tied": training(Tied),
    "in place": training(InPlace),
    "attention": training(Attention, lambda _: (2, 2, 8)),
    "autocast": training(layers, forward=autocasting),
    "checkpoint": training(dropping, forward=checkpointing),
    "graph break": training(layers, forward=breaking),
    "sizes": training(layers, lambda number: (4 + number, 8), dynamic=True),
    "adam": stepping(torch.optim.Adam),
    "sgd": stepping(torch.optim.SGD, momentum=0.9),
    "no gradients": without_gradients,
    "number": one_that_gets_a_number,
    "changing numbers": one_that_gets_changing_numbers,
    # Of Dropout, in a graph within a graph
    "a number of a checkpoint": training(
        dropping, lambda number: (4 + number, 8), checkpointing, dynamic=True
    ),
}


QUICK = ("no gradients", "number")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in QUICK else [pytest.mark.long]) for name in PROGRAMS],
)
def test_bits_are_aot_eagers_before_the_swap_and_inductors_after(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = PROGRAMS[name]
    with empty_caches():
        eager = run(make, "aot_eager", STEPS)
    with empty_caches():
        compiled = run(make, "inductor", STEPS)
    swap_at = len(name) % 3 + 1  # not always the same
    with swaps(monkeypatch) as swapped:
        before = dynamo_graphs.hits()
        step = make("inductor")
        found = []
        for number in STEPS:
            swapped.worker.is_released = number >= swap_at
            found.append(one(step, number))
        hits = dynamo_graphs.hits() - before
    assert found[:swap_at] == eager[:swap_at]
    assert found[swap_at:] == compiled[swap_at:], swapped.reasons
    graphs = swapped.states.count("compiling")
    # Each swap is one; AOTAutogradCache takes no graph with autocast in it.
    assert hits == (0 if name == "autocast" else graphs)
    assert graphs >= 1
    assert sorted(swapped.states) == ["compiling"] * graphs + ["ready"] * graphs, swapped.reasons


def small(backend: str) -> tuple[nn.Module, Callable[..., torch.Tensor]]:
    torch.manual_seed(0)
    made = nn.Sequential(nn.Linear(4, 4), nn.GELU())
    return made, torch.compile(made, backend=backend)


def gradient(found: torch.Tensor, made: nn.Module, **options: Any) -> list[Any]:
    made.zero_grad()
    found.square().sum().backward(**options)
    return bits([each.grad for each in made.parameters() if each.grad is not None])


X = torch.linspace(-2, 3, 12).view(3, 4)


@pytest.mark.long
def test_a_forward_that_ran_before_the_swap_keeps_its_backward(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = {}
    for backend in ("aot_eager", "inductor"):
        with empty_caches():
            made, compiled = small(backend)
            expected[backend] = gradient(compiled(X), made)
    with swaps(monkeypatch) as swapped:
        made, compiled = small("inductor")
        gradient(compiled(X), made)
        before = compiled(X)
        swapped.worker.is_released = True
        after = compiled(X)
        assert swapped.states == ["compiling", "ready"]
        assert gradient(before, made) == expected["aot_eager"]
        assert gradient(after, made) == expected["inductor"]
    # Or the swap would not show.
    assert expected["aot_eager"] != expected["inductor"]


@pytest.mark.long
def test_a_backward_that_keeps_its_graph_can_run_twice_after_the_swap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with swaps(monkeypatch) as swapped:
        made, compiled = small("inductor")
        gradient(compiled(X), made, retain_graph=True)
        swapped.worker.is_released = True
        found = compiled(X)
        assert swapped.states == ["compiling", "ready"]
        first = gradient(found, made, retain_graph=True)
        assert gradient(found, made) == first


def test_a_graph_whose_backward_never_runs_is_compiled_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with swaps(monkeypatch) as swapped:
        made, compiled = small("inductor")
        for _ in range(4):
            compiled(X)
        assert swapped.worker.jobs == []
        swapped.worker.is_released = True
        compiled(X)
        found = compiled(X)
        assert swapped.states == ["compiling", "ready"]
        # Nobody knew whether one would keep the graph.
        gradient(found, made, retain_graph=True)
        gradient(found, made)


@pytest.mark.long
@pytest.mark.parametrize("dynamic", [False, True])
def test_without_the_other_process_the_program_waits(
    dynamic: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = training(layers, lambda number: (4 + number * dynamic, 8), dynamic=dynamic)
    with empty_caches():
        expected = run(make, "inductor", range(2))
    with swaps(monkeypatch) as swapped:
        step = make("inductor")
        one(step, 0)
        swapped.worker.failure = WorkerError("it died")
        assert one(step, 1) == expected[1]
    assert swapped.states == ["compiling", "waited"]
    assert swapped.reasons == {"it died"}


def test_what_inductor_cannot_compile_runs_on(monkeypatch: pytest.MonkeyPatch) -> None:
    with empty_caches():
        made, compiled = small("aot_eager")
        expected = gradient(compiled(X), made)
    with swaps(monkeypatch) as swapped:
        made, compiled = small("inductor")
        gradient(compiled(X), made)
        swapped.worker.failure = InductorError("InductorError: no such kernel")
        assert [gradient(compiled(X), made) for _ in range(2)] == [expected] * 2
    assert swapped.states == ["compiling", "failed"]
    assert swapped.reasons == {"InductorError: no such kernel"}


@pytest.mark.long
def test_the_next_start_compiles_at_once_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    with swaps(monkeypatch) as swapped:
        made, compiled = small("inductor")
        gradient(compiled(X), made)
        swapped.worker.is_released = True
        expected = gradient(compiled(X), made)
        torch._dynamo.reset()
        made, compiled = small("inductor")
        assert gradient(compiled(X), made) == expected
    assert swapped.states == ["compiling", "ready", "known"]
    assert len(swapped.worker.jobs) == 1


@pytest.mark.long
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"force_disable_caches": True}, "FxGraphCache is off"),
        ({"cpp_wrapper": True}, "cpp_wrapper"),
    ],
)
def test_settings_with_which_nothing_can_be_put_off(
    change: dict[str, Any], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with swaps(monkeypatch) as swapped, inductor_config.patch(change):
        torch.compile(lambda x: x + 1)(X)
    assert swapped.states == ["refused"]
    assert swapped.reasons == {reason}


def test_a_function_that_only_this_process_has(monkeypatch: pytest.MonkeyPatch) -> None:
    @torch._dynamo.allow_in_graph  # type: ignore[untyped-decorator]
    def own(x: torch.Tensor) -> torch.Tensor:
        return x.sin() + 1

    with swaps(monkeypatch) as swapped:
        found = torch.compile(lambda x: own(x) * 2)(X)
    torch.testing.assert_close(found, own(X) * 2)
    assert swapped.states == ["refused"]
    (reason,) = swapped.reasons
    assert "own" in reason


@torch._dynamo.allow_in_graph  # type: ignore[untyped-decorator]
def of_the_programs_module(x: torch.Tensor) -> torch.Tensor:
    return x.sin() + 1


def test_a_function_of_the_programs_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other process would import the module, which would run once more."""
    with swaps(monkeypatch) as swapped:
        torch.compile(lambda x: of_the_programs_module(x) * 2)(X)
    assert swapped.states == ["refused"]
    name = f"{__name__}.of_the_programs_module"
    assert swapped.reasons == {f"{name}, which is the program's"}


@pytest.mark.long
def test_settings_are_those_of_when_dynamo_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program changed them since, and what is swapped in is what was asked for."""
    with swaps(monkeypatch) as swapped:
        made, compiled = small("inductor")
        gradient(compiled(X), made)
        swapped.worker.is_released = True
        with inductor_config.patch(epilogue_fusion=False):
            gradient(compiled(X), made)
            assert not inductor_config.epilogue_fusion
        jobs_of_then = list(swapped.worker.jobs)
        torch._dynamo.reset()
        made, compiled = small("inductor")
        gradient(compiled(X), made)
    assert swapped.states == ["compiling", "ready", "known"]
    assert swapped.worker.jobs == jobs_of_then


def test_sizes_that_a_graph_does_not_serve_run_on() -> None:
    mode = dynamo_graphs.new_fake_mode()
    fake = mode.from_tensor(torch.empty(8, 3), static_shapes=False)
    size = fake.shape[0]
    guards = dynamo_graphs.SizeGuards([size, fake])
    assert guards.positions == [0]
    guards.note("L['t0'] % 2 == 0 and L['t1'] < 13", [size, size + 1])
    assert guards.can_be_checked(is_hit=True)
    assert not guards.can_be_checked(is_hit=False)
    assert guards.hold([8, None])
    assert not guards.hold([9, None])
    assert not guards.hold([12, None])
    guards.note("L['t0'] > 1", [fake.shape[1]])
    assert not guards.can_be_checked(is_hit=True)


def test_a_size_that_is_always_the_same_is_no_size_that_changes() -> None:
    mode = dynamo_graphs.new_fake_mode()
    fake = mode.from_tensor(torch.empty(8, 3), static_shapes=False)
    assert fake.shape[1] == 3  # for which it becomes a constant
    guards = dynamo_graphs.SizeGuards([fake.shape[0], fake.shape[1], fake])
    assert guards.positions == [0]
    guards.note("L['t0'] % 2 == 0", [fake.shape[0]])
    assert guards.can_be_checked(is_hit=True)
    assert guards.hold([4, 3, None])
    assert not guards.hold([5, 3, None])


@pytest.mark.long
def test_other_sizes_run_as_before_the_swap(monkeypatch: pytest.MonkeyPatch) -> None:
    make = training(layers, lambda number: (4 + number, 8), dynamic=True)
    with empty_caches():
        eager = run(make, "aot_eager", range(4))
    with empty_caches():
        compiled = run(make, "inductor", range(4))

    def hold(_: Any, inputs: Any) -> bool:
        return not any(type(each) is int and each == 6 for each in inputs)

    monkeypatch.setattr(dynamo_graphs.SizeGuards, "hold", hold)
    with swaps(monkeypatch) as swapped:
        step = make("inductor")
        one(step, 0)
        swapped.worker.is_released = True
        found = [one(step, number) for number in (1, 2, 3)]
    assert swapped.states == ["compiling", "ready"], swapped.reasons
    assert found == [compiled[1], eager[2], compiled[3]]
    assert eager[2] != compiled[2]


def test_a_number_that_was_looked_at() -> None:
    mode = dynamo_graphs.new_fake_mode()
    fake: Any = mode.from_tensor(torch.tensor(0.5, dtype=torch.float64))
    shape_env: Any = mode.shape_env
    symbol = shape_env.create_unspecified_symbol(0.5, ConstantSource("x"), DimDynamic.DYNAMIC)
    fake.item_memo = number = shape_env.create_symfloatnode(symbol, hint=0.5)
    assert dynamo_graphs.has_symbols(fake)
    assert dynamo_graphs.guards_on_items([fake, 3, None], mode) == []
    assert number > 0.25
    assert len(dynamo_graphs.guards_on_items([fake, 3, None], mode)) == 1


def test_in_another_state_of_the_thread_it_does_not_swap(monkeypatch: pytest.MonkeyPatch) -> None:
    state = dynamo_graphs.thread_state()
    with swaps(monkeypatch) as swapped, torch.no_grad():
        compiled = torch.compile(torch.nn.functional.gelu)
        compiled(X)
        swapped.worker.is_released = True
        with monkeypatch.context() as patch:
            patch.setattr(dynamo_graphs, "thread_state", lambda: (*state, "a mode"))
            compiled(X)
        assert swapped.states == ["compiling"]
        compiled(X)
        assert swapped.states == ["compiling", "ready"]


def test_a_swap_draws_no_random_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    stock = dynamo_graphs.inductor_now

    calls = []

    def drawing(asked: Any) -> Any:
        calls.append(asked)
        if len(calls) == 2:  # the first one is the other process's
            torch.rand(3)
        return stock(asked)

    monkeypatch.setattr(dynamo_graphs, "inductor_now", drawing)
    with swaps(monkeypatch) as swapped, torch.no_grad():
        compiled = torch.compile(torch.nn.functional.gelu)
        compiled(X)
        swapped.worker.is_released = True
        before = torch.get_rng_state()
        compiled(X)
        assert torch.equal(torch.get_rng_state(), before)
    assert swapped.states == ["compiling", "ready"]
    assert len(calls) == 2


def test_a_graph_that_needs_a_new_guard_runs_on(monkeypatch: pytest.MonkeyPatch) -> None:
    stock = dynamo_graphs.inductor_now

    def guarding(asked: Any) -> Any:
        TracingContext.get().guards_context.aotautograd_guards.append(
            DuplicateInputs(ConstantSource("x"), ConstantSource("y"))
        )
        return stock(asked)

    monkeypatch.setattr(dynamo_graphs, "inductor_now", guarding)
    with swaps(monkeypatch) as swapped, torch.no_grad():
        compiled = torch.compile(torch.nn.functional.gelu)
        compiled(X)
        swapped.worker.is_released = True
        compiled(X)
    assert swapped.states == ["compiling", "failed"]
    assert swapped.reasons == {"inductor's graph needs a guard that can't be checked"}


def test_what_would_be_another_graph_there(monkeypatch: pytest.MonkeyPatch) -> None:
    stock = dynamo_job.describe
    monkeypatch.setattr(
        dynamo_job, "describe", lambda *args: replace(stock(*args), key="another key")
    )
    with swaps(monkeypatch) as swapped, torch.no_grad():
        compiled = torch.compile(torch.nn.functional.gelu)
        compiled(X)
        swapped.worker.is_released = True
        compiled(X)
    assert swapped.states == ["compiling", "waited"]
    assert swapped.reasons == {"it is another graph there, or has other settings"}


def test_sizes_that_change_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        swaps(monkeypatch) as swapped,
        torch.no_grad(),
        functorch_config.patch(enable_autograd_cache=False),
    ):
        torch.compile(torch.nn.functional.gelu, dynamic=True)(X)
    assert swapped.states == ["refused"]
    assert swapped.reasons == {"sizes that change, of a graph that AOTAutogradCache does not take"}


class Subclass(torch.Tensor):
    pass


@pytest.mark.parametrize(
    ("tensor", "reason"),
    [
        (torch.ones(2).as_subclass(Subclass), "a tensor of class Subclass"),
        (torch.eye(2).to_sparse(), "a tensor of layout torch.sparse_coo"),
        (torch.ones(2, dtype=torch.complex64).conj(), "a conjugated, negated or inference tensor"),
        (torch.ones(2, device="meta"), "device meta"),
    ],
    ids=["class", "layout", "conjugated", "device"],
)
def test_tensors_that_cannot_be_sent(tensor: torch.Tensor, reason: str) -> None:
    with pytest.raises(CannotSendError, match=reason):
        dynamo_job._metadata(tensor)


def test_a_graph_that_is_not_dynamos(monkeypatch: pytest.MonkeyPatch) -> None:
    module = torch.fx.symbolic_trace(nn.GELU())
    with swaps(monkeypatch) as swapped, torch.no_grad():
        compiled: Any = torch._inductor.compile(module, [X])
        torch.testing.assert_close(compiled(X), nn.functional.gelu(X))
    assert swapped.states == []


@pytest.mark.long
def test_another_process_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Any] = []

    def noting(name: str, payload: Callable[[], Any], **_: Any) -> None:
        if name == "ca_background":
            found.append(payload())

    monkeypatch.setattr(trace, "compact_artifact", noting)
    with empty_caches():
        made, compiled = small("inductor")
        expected = gradient(compiled(X), made)
    with empty_caches(), ca_engine.background():
        made, compiled = small("inductor")
        end = time.monotonic() + PATIENCE
        while len(found) < 2:
            assert time.monotonic() < end, "it took too long"
            gradient(compiled(X), made)
            time.sleep(0.01)
        assert gradient(compiled(X), made) == expected
    assert [each["state"] for each in found] == ["compiling", "ready"], found[1]["reason"]
    assert found[1]["cache"] == "miss"
    assert 0 < found[1]["compile_seconds"] < found[1]["waited"]
    assert found[1]["calls"] > 1


@pytest.mark.long
def test_a_process_that_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Any] = []
    monkeypatch.setattr(
        trace,
        "compact_artifact",
        lambda name, payload, **_: found.append(payload()) if name == "ca_background" else None,
    )
    with empty_caches(), ca_engine.background():
        made, compiled = small("inductor")
        gradient(compiled(X), made)
        assert worker._worker is not None
        process = worker._worker._process
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        after = gradient(compiled(X), made)
        assert gradient(compiled(X), made) == after
    assert [each["state"] for each in found] == ["compiling", "waited"]
    assert found[1]["reason"] == "the compile process was killed by SIGKILL"


def test_a_process_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    hanging = worker.Worker()
    hanging.start()
    process = hanging._process
    assert process is not None
    os.kill(process.pid, signal.SIGSTOP)
    number = hanging.submit(b"a job")
    assert hanging.result(number) is None
    monkeypatch.setattr(worker, "_MOST_SECONDS", 0.0)
    with pytest.raises(WorkerError, match="did not answer"):
        hanging.result(number)
    process.wait(10)
