"""ATen graphs from templates: the same rows as AOTAutograd's, the same bits, or a refusal."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
import torch._dynamo.compiled_autograd as torch_engine
from torch import nn
from torch._functorch import config as functorch_config
from torch._inductor.codecache import BypassFxGraphCache, FxGraphCache
from torch.testing._internal.two_tensor import TwoTensor
from torch.utils.flop_counter import FlopCounterMode

import ca_engine
from benchmarks import models
from ca_engine import schema
from ca_engine.capture.compiler import CaptureCompiler
from ca_engine.compat import ambient
from ca_engine.compat.versions import torch_version
from ca_engine.lowering import conditions, level2
from ca_engine.lowering.modes import Mode
from tests.engine.conftest import Backward, assert_same_bits, leaf, run_under
from tests.engine.lowering.aten_graphs import compare_lowering
from tests.engine.lowering.guarded import gradients, strides_of_what_was_saved, traces_of
from tests.engine.recorder.test_recorder import read_records

PROGRAMS: dict[str, Callable[[Backward], Any]] = {}


def program(run: Callable[[Backward], Any]) -> Callable[[Backward], Any]:
    PROGRAMS[run.__name__] = run
    return run


def trained(backward: Backward, model: nn.Module, make: Callable[[], Any], steps: int = 3) -> Any:
    """Gradients after ``steps`` accumulated backwards: two captures and hits of the second."""
    for _ in range(steps):
        backward(model(make()).float().square().mean())
    return gradients(model)


@program
def layers_of_an_mlp(backward: Backward) -> Any:
    model = nn.Sequential(*(nn.Sequential(nn.Linear(4, 4), nn.ReLU()) for _ in range(4)))
    return trained(backward, model, lambda: torch.randn(2, 4))


@program
def gpt(backward: Backward) -> Any:
    torch.manual_seed(0)
    loss = models.gpt(1)
    model = loss.__closure__[0].cell_contents  # type: ignore[index]
    for _ in range(2):
        backward(loss())
    return gradients(model)


@program
def gpt_with_compiled_forward(backward: Backward) -> Any:
    block = models.Block(8, 2)
    compiled = torch.compile(block, backend="aot_eager")
    for _ in range(2):
        with backward.enabled():
            compiled(torch.ones(2, 4, 8)).square().mean().backward()
    return gradients(block)


@program
def convolutions_with_batch_norm(backward: Backward) -> Any:
    model = nn.Sequential(nn.Conv2d(2, 3, 3, padding=1), nn.BatchNorm2d(3), nn.GELU())
    return trained(backward, model, lambda: torch.randn(2, 2, 5, 5), 2)


@program
def dropout_and_lstm(backward: Backward) -> Any:
    lstm = nn.LSTM(3, 4, num_layers=2, dropout=0.5)
    for _ in range(2):
        backward(nn.functional.dropout(lstm(torch.randn(5, 2, 3))[0], 0.3).sum())
    return gradients(lstm)


@program
def tied_weights(backward: Backward) -> Any:
    embedding = nn.Embedding(7, 4)
    tokens = torch.randint(7, (2, 3))
    for _ in range(2):
        backward((embedding(tokens) @ embedding.weight.t()).logsumexp(-1).sum())
    return embedding.weight.grad


@program
def forward_in_autocast(backward: Backward) -> Any:
    model = nn.Linear(4, 4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = model(torch.randn(3, 4)).float().sum()
    backward(loss)
    return gradients(model)


@program
def indices_masks_and_complex(backward: Backward) -> Any:
    x = leaf(6)
    mask = torch.tensor([True, False, True, True, False, False])
    y = torch.fft.rfft(x * 2).abs().sum()
    z = torch.zeros(6).index_put((torch.tensor([1, 4, 1]),), x[:3], accumulate=True)
    backward(y + z.square().sum() + x.masked_fill(mask, 0.0).exp().sum())
    return x.grad


@program
def gradients_that_are_returned(backward: Backward) -> Any:
    x, y, unused = leaf(3, 3), leaf(3, 3), leaf(2)
    return backward.grad((x.t() @ y).tanh().sum(), [x, y, unused], allow_unused=True)


@program
def gradient_of_a_leaf_that_is_not_contiguous(backward: Backward) -> Any:
    x = torch.randn(3, 4).t().requires_grad_()
    for _ in range(2):
        backward((x * torch.randn(4, 3)).sum())
    return x.grad


@program
def equal_calls_on_the_same_tensor(backward: Backward) -> Any:
    """Two calls of one template, and one whose two arguments are one tensor."""
    x, y = leaf(3), leaf(3)
    backward((x * y).sum() + (x * x).sum() + (x * 2).sum() + (x * 3).sum())
    return x.grad, y.grad


@program
def equal_calls_but_for_a_constant(backward: Backward) -> Any:
    x = leaf(3, 3)
    backward(x.sum(0).square().sum() + x.sum(1).square().sum())
    return x.grad


@program
def saved_views_with_offsets(backward: Backward) -> Any:
    base = torch.randn(12)
    x = leaf(4)
    backward((x * base[3:7]).sum() + (x * base[8:12]).sum())
    return x.grad


def for_backends(names: Iterable[str]) -> list[Any]:
    """Each of ``names`` with both backends, most of those with inductor among the long tests.

    Inductor's graphs are compared in front of it, where they are made as for aot_eager.
    """
    long = {"gpt", "gpt_with_compiled_forward", "dropout_and_lstm", "forward_in_autocast"}
    return [
        pytest.param(
            name,
            backend,
            marks=[pytest.mark.long] if name in long or (backend == "inductor" and number) else [],
        )
        for number, name in enumerate(names)
        for backend in ("aot_eager", "inductor")
    ]


@pytest.mark.parametrize(("name", "backend"), for_backends(PROGRAMS))
def test_graphs_are_aotautograds_row_by_row(name: str, backend: str) -> None:
    """Inductor's graphs are compared in front of it, and run as they are."""
    outcome = compare_lowering(PROGRAMS[name], backend=backend, mode=Mode.L2)
    assert set(outcome.ways) == {"lowered"}


@pytest.mark.long
@pytest.mark.parametrize("name", PROGRAMS)
def test_inductor_gives_the_same_bits(name: str) -> None:
    outcome = compare_lowering(PROGRAMS[name], backend="inductor", mode=Mode.L2, run_inductor=True)
    assert set(outcome.ways) == {"lowered"}


# What is refused, and why. Each program ends with the same results, by the ordinary way.

REFUSED: dict[str, tuple[Callable[[Backward], Any], list[str]]] = {}


def refused(*ways: str) -> Callable[[Callable[[Backward], Any]], Callable[[Backward], Any]]:
    def add(run: Callable[[Backward], Any]) -> Callable[[Backward], Any]:
        REFUSED[run.__name__] = (run, list(ways))
        return run

    return add


@pytest.mark.long
def test_a_graph_that_is_split_at_a_tensor_hook_has_other_bits_with_inductor() -> None:
    """Within a kernel inductor keeps more digits than a bfloat16 has, between two it can't.

    So what is between hooks is not compiled by itself.
    """

    def scale(grad: torch.Tensor) -> torch.Tensor:
        return grad * 1.1

    def gradient_with(hook: Callable[..., Any]) -> torch.Tensor:
        def run(backward: Backward) -> Any:
            x, by = (torch.randn(64, 64, dtype=torch.bfloat16) for _ in range(2))
            y = (x.requires_grad_() * by).sin()
            y.register_hook(hook)
            backward((y * by).tanh().sum())
            return x.grad

        result: torch.Tensor = run_under(CaptureCompiler, run, backend="inductor").result
        return result

    # Dynamo breaks the graph where it may not look into a function.
    assert not torch.equal(gradient_with(scale), gradient_with(torch._dynamo.disable(scale)))


@refused("python_hook")
def a_hook(backward: Backward) -> Any:
    x = leaf(3)
    x.register_hook(lambda grad: grad * 2)
    backward((x * 3).sum())
    return x.grad


@refused("python_hook")
def a_hook_that_writes_to_an_expanded_gradient(backward: Backward) -> Any:
    """AOTAutograd makes an ordinary tensor of it; by itself, as in eager mode, that is an error."""
    x = leaf(3)
    y = x * 1.0
    y.register_hook(lambda grad: grad.mul_(2))
    backward(y.sum())
    return x.grad


@refused("python_function")
def a_function(backward: Backward) -> Any:
    x = leaf(3)
    backward(models.Double.apply(x).sum())
    return x.grad


@refused("dynamic_sizes")
def a_marked_dimension(backward: Backward) -> Any:
    x, weight = leaf(3), torch.randn(3)
    torch._dynamo.maybe_mark_dynamic(weight, 0)
    backward((x * weight).sum())
    return x.grad


@refused("mode")
def autocast_around_the_backward(backward: Backward) -> Any:
    x, y = leaf(3, 3), torch.randn(3, 3)
    loss = (x @ y).sum()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        backward(loss)
    return x.grad


@refused("mode")
def a_dispatch_mode_around_the_backward(backward: Backward) -> Any:
    x = leaf(3)
    loss = (x * 3).sum()
    with FlopCounterMode(display=False):
        backward(loss)
    return x.grad


@refused("tensor_kind")
def a_sparse_gradient(backward: Backward) -> Any:
    embedding = nn.Embedding(5, 3, sparse=True)
    backward(embedding(torch.tensor([1, 3])).sum())
    assert embedding.weight.grad is not None
    return embedding.weight.grad.to_dense()


@refused("tensor_kind")
def a_negated_view_that_was_saved(backward: Backward) -> Any:
    x, weight = leaf(3), torch.randn(3, dtype=torch.complex64).conj().imag
    assert weight.is_neg()
    backward((x * weight).sum())
    return x.grad


@refused("tensor_kind")
def a_tensor_of_a_wrapper_subclass(backward: Backward) -> Any:
    """A class with ``__torch_dispatch__``, whose two tensors Dynamo takes out of it."""
    x = leaf(3)
    loss = (x * TwoTensor(torch.randn(3), torch.randn(3))).sum()
    backward(loss)
    assert isinstance(x.grad, TwoTensor)
    return x.grad.a, x.grad.b


@refused("grad_form")
def grads_that_are_views_of_one_buffer(backward: Backward) -> Any:
    buffer = torch.zeros(6)
    x, y = leaf(3), leaf(3)
    x.grad, y.grad = buffer[:3], buffer[3:]
    backward((x * y).sum())
    return buffer


@refused("grad_form")
def a_saved_tensor_that_shares_memory_with_a_grad(backward: Backward) -> Any:
    x = leaf(3)
    x.grad = torch.ones(3)
    backward((x * x.grad.view(3)).sum())
    return x.grad


@refused("grad_form")
def a_grad_that_overlaps_itself(backward: Backward) -> Any:
    x = leaf(3, 2)
    x.grad = torch.zeros(4).as_strided((3, 2), (1, 1))
    backward((x * 2).sum())
    return x.grad


@refused("grad_form")
def a_grad_that_needs_a_gradient_itself(backward: Backward) -> Any:
    x = leaf(3)
    x.grad = torch.zeros(3, requires_grad=True)
    backward((x * 2).sum())
    return x.grad


@refused("grad_is_read")
def a_grad_that_the_graph_reads(backward: Backward) -> Any:
    x = leaf(3)
    x.grad = torch.full((3,), 2.0)
    backward((x * x.grad).sum())
    return x.grad


@refused("output_alias")
def a_gradient_that_is_an_input(backward: Backward) -> Any:
    x = leaf(3)
    return backward.grad(x + 1, [x], torch.ones(3))


@refused("output_alias")
def a_gradient_that_is_a_view_of_an_input(backward: Backward) -> Any:
    x = leaf(3, 2)
    return backward.grad(x.t(), [x], torch.ones(2, 3))


@refused("output_alias")
def a_gradient_that_is_returned_twice(backward: Backward) -> Any:
    x, y = leaf(3), leaf(3)
    return backward.grad((x + y) * 2, [x, y], torch.ones(3))


@refused("changes_a_tensor")
def a_write_to_a_view(backward: Backward) -> Any:
    x = leaf(4)
    y = x * 2
    y[1:3].mul_(3)
    backward(y.sum())
    return x.grad


def test_a_view_that_is_made_again_is_refused() -> None:
    """The incoming gradient is copied into a tensor that was made for it, and then viewed.

    Functionalization makes such a view where it is next used: at another place of the graph.
    """
    compiled = torch.compile(lambda x: x.view(-1).sin().view(2, 6), backend="aot_eager")

    def run(backward: Backward) -> Any:
        x = leaf(3, 4)
        with backward.enabled():
            compiled(x).t().sum().backward()
        return x.grad

    # With torch 2.11 no such view comes up, and the graph is the one of AOTAutograd.
    ways = ["late_view"] if torch_version() >= (2, 12) else ["lowered"]
    assert compare_lowering(run, backend="inductor", mode=Mode.L2).ways == ways


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_exact_is_refused(name: str) -> None:
    run, ways = REFUSED[name]
    assert compare_lowering(run, backend="aot_eager", mode=Mode.L2).ways == ways


def test_a_call_that_raises_is_refused() -> None:
    """The backward of a region refuses to run in deterministic mode if its forward did not."""
    compiled = torch.compile(torch.sin, backend="aot_eager")

    def run(backward: Backward) -> None:
        x = leaf(3)
        backward(compiled(x).sum())
        loss = compiled(x).sum()
        torch.use_deterministic_algorithms(True)
        try:
            with pytest.raises(RuntimeError) as raised:
                backward(loss)
        finally:
            torch.use_deterministic_algorithms(False)
        assert "previously generated during the forward" in str(raised.value)

    ways = run_under(CaptureCompiler, run, backend="aot_eager", lowering=Mode.ON).ways
    assert ways == ["lowered", "untraceable"]


def test_create_graph_is_refused() -> None:
    x = leaf(3)

    def run(backward: Backward) -> Any:
        with backward.enabled():
            return torch.autograd.grad((x**3).sum(), [x], create_graph=True)

    assert run_under(CaptureCompiler, run, backend="aot_eager", lowering=Mode.ON).ways == ["mode"]


@pytest.mark.parametrize("option", ["functionalize_rng_ops", "selective_decompose"])
def test_settings_of_aotautograd_are_refused(option: str) -> None:
    with functorch_config.patch({option: True}):
        assert ambient.functional_option() == option
    assert ambient.functional_option() is None


@pytest.mark.parametrize(
    "option", ["freezing", "cpp_wrapper", "triton.cudagraphs", "pre_grad_custom_pass"]
)
def test_settings_of_inductor_are_refused(option: str) -> None:
    from ca_engine.compat import inductor

    value: Any = (lambda graph: None) if option == "pre_grad_custom_pass" else True
    assert inductor.inductor_option({option: value}) is not None
    assert inductor.inductor_option({}) is None


def test_with_a_setting_of_aotautograd_nothing_is_lowered() -> None:
    with functorch_config.patch(selective_decompose=True):
        outcome = compare_lowering(layers_of_an_mlp, backend="aot_eager")
    assert set(outcome.ways) == {"config"}


@pytest.mark.long
def test_with_a_setting_of_inductor_nothing_is_lowered() -> None:
    from torch._inductor import config

    with config.patch({"triton.cudagraphs": True}):
        outcome = compare_lowering(layers_of_an_mlp, backend="inductor")
    assert set(outcome.ways) == {"config"}


@pytest.mark.long
def test_with_dynamic_asked_for_nothing_is_lowered() -> None:
    outcome = compare_lowering(layers_of_an_mlp, backend="aot_eager", dynamic=True)
    assert set(outcome.ways) == {"dynamic_sizes"}


def test_a_compiler_of_dynamic_shapes_is_refused_whatever_was_lifted() -> None:
    x = leaf(3)

    def run(backward: Backward) -> Any:
        compiled = partial(torch.compile, backend="aot_eager", dynamic=True)
        with torch_engine._enable(compiled, dynamic=False):
            (x * torch.ones(3)).sum().backward()

    assert run_under(CaptureCompiler, run, lowering=Mode.ON).ways == ["dynamic_sizes"]


def test_a_backend_is_refused_on_a_device_where_it_was_not_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    device = torch.get_default_device().type
    monkeypatch.setitem(conditions.PROVEN_BACKENDS, device, frozenset({"inductor"}))
    outcome = compare_lowering(layers_of_an_mlp, backend="aot_eager")
    assert set(outcome.ways) == {"device"}


def test_after_a_failed_guard_the_first_form_still_goes_the_short_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs = []
    stock = level2.Level2.run

    def counting(self: level2.Level2, *args: Any) -> Any:
        runs.append(1)
        return stock(self, *args)

    monkeypatch.setattr(level2.Level2, "run", counting)
    run_under(CaptureCompiler, strides_of_what_was_saved, backend="aot_eager", lowering=Mode.ON)
    # A first capture, one with .grad, whose strides differ at that moment, and a hit of it.
    assert len(runs) >= 2


def test_a_call_is_traced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    traces = traces_of(convolutions_with_batch_norm, monkeypatch)
    assert len(traces) > 10
    assert all(len(each) == 1 for each in traces)


def test_a_graph_is_the_same_bits_under_deterministic_mode() -> None:
    def run(backward: Backward) -> Any:
        x = leaf(5)
        backward(x[torch.tensor([1, 1, 3])].sum())
        return x.grad

    expected = compare_lowering(run, backend="aot_eager")
    torch.use_deterministic_algorithms(True)
    try:
        got = compare_lowering(run, backend="aot_eager")
    finally:
        torch.use_deterministic_algorithms(False)
    assert_same_bits(got, expected)


def test_the_record_says_why_a_cache_was_bypassed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise BypassFxGraphCache("a custom pass")

    stock = FxGraphCache.prepare_key
    monkeypatch.setattr(FxGraphCache, "_check_can_cache", staticmethod(refuse))
    x = torch.ones(3, requires_grad=True)
    with ca_engine.record(tmp_path / "run"), ca_engine.enable(torch.compile, lowering=True):
        x.square().sum().backward()
    (log,) = (tmp_path / "run").iterdir()
    (record,) = read_records(log)[schema.LOWERING_RECORD]
    assert (record["way"], record["cache"]) == ("l2", "bypass")
    assert record["cache_reason"] == "a custom pass"
    assert FxGraphCache.prepare_key is stock
