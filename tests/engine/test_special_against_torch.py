"""Rarer things that autograd graphs hold: tensor subclasses, state handed from a compiled
forward, higher-order operators, C++ functions, nested and complex tensors, reentrant calls."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch._dynamo
from torch import nn
from torch.testing._internal.two_tensor import TwoTensor
from torch.utils.checkpoint import checkpoint

from ca_engine.capture.compiler import CaptureCompiler
from tests.engine.conftest import (
    STOCK_COMPILER,
    Backward,
    Outcome,
    error_under,
    gradient,
    leaf,
    use_engine,
)

Same = Callable[..., Outcome]


def test_traced_subclass(same: Same) -> None:
    def program(backward: Backward) -> Any:
        a, b = torch.randn(3, 4), torch.randn(3, 4)
        x = TwoTensor(a, b).requires_grad_()
        compiled = torch.compile(lambda t: (t.sin() * t).sum(), backend="aot_eager")
        with backward.enabled():
            compiled(x).backward()
        return gradient(x).a, gradient(x).b

    outcome = same(program)
    assert any("make_subclass" in row[1] for row in outcome.graphs[0])


def test_distributed_tensor_in_one_process(same: Same) -> None:
    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import DTensor, Replicate
    from torch.testing._internal.distributed.fake_pg import FakeStore

    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=2)
    try:
        mesh = init_device_mesh("cpu", (2,))

        def program(backward: Backward) -> Any:
            x = DTensor.from_local(torch.randn(4, 4), mesh, [Replicate()]).requires_grad_()
            compiled = torch.compile(lambda t: (t @ t).relu().sum(), backend="aot_eager")
            with backward.enabled():
                compiled(x).to_local().backward()
            return gradient(x).to_local()

        same(program)
    finally:
        dist.destroy_process_group()


@pytest.mark.parametrize("dynamic", [False, True])
def test_backward_state_of_a_compiled_forward(same: Same, dynamic: bool) -> None:
    """A hook registered inside the compiled forward travels in a BackwardState.

    Only one on an intermediate result does; one on an input is registered once the forward has
    run, as in eager mode.
    """

    def program(backward: Backward) -> Any:
        def forward(x: torch.Tensor, factor: torch.Tensor) -> torch.Tensor:
            y = x * 2
            y.register_hook(lambda grad: grad * factor)
            return y.sin().sum()

        compiled = torch.compile(forward, backend="aot_eager", fullgraph=True)
        x = leaf(3)
        with backward.enabled():
            for factor in (3.0, 5.0):
                (compiled(x, torch.tensor(factor)) + compiled(x * 2, torch.tensor(1.0))).backward()
        return x.grad

    outcome = same(program, dynamic=dynamic)
    for module in outcome.modules:
        invoked = [node for node in module.graph.nodes if "trace_wrapped" in node.name]
        assert [node.target.__name__ for node in invoked] == ["self_invoke"] * 2
        states = [node.kwargs["bw_state"] for node in invoked]
        assert [state.args[0].target for state in states] == ["hooks"] * 2
        assert states[0].args[1] != states[1].args[1]


@pytest.mark.long
def test_higher_order_operator_in_an_aot_backward(same: Same) -> None:
    """`cond` keeps its branches as sub-modules, which must come along."""

    def program(backward: Backward) -> Any:
        def forward(x: torch.Tensor, flag: torch.Tensor) -> torch.Tensor:
            return torch.cond(flag, lambda t: t.sin(), lambda t: t.cos(), (x,)).sum()

        compiled = torch.compile(forward, backend="aot_eager", fullgraph=True)
        x = leaf(3)
        with backward.enabled():
            for flag in (True, False):
                compiled(x, torch.tensor(flag)).backward()
        return x.grad

    # Dynamo refuses such a sub-module in a graph of its own, whichever engine captured it.
    outcome = same(program, backend="none")
    assert any(row[0] == "get_attr" for row in outcome.graphs[0])


def test_dropout_in_a_compiled_forward(same: Same) -> None:
    def program(backward: Backward) -> Any:
        layer = nn.Linear(4, 4)
        compiled = torch.compile(
            lambda x: nn.functional.dropout(layer(x), 0.5), backend="aot_eager"
        )
        with backward.enabled():
            compiled(torch.randn(3, 4)).sum().backward()
        return layer.weight.grad

    same(program)


def test_effectful_operator_in_a_compiled_forward(same: Same) -> None:
    """`with_effects` threads tokens through the graph, which the epilogue drops again."""
    from torch._higher_order_ops.effects import _EffectType, _register_effectful_op

    with torch.library._scoped_library("ca_tests", "FRAGMENT") as library:
        library.define("noted(Tensor x) -> Tensor")
        library.impl("noted", lambda x: x * 2, "CompositeExplicitAutograd")
        library.impl("noted", lambda x: torch.empty_like(x), "Meta")
        torch.library.register_autograd(
            "ca_tests::noted", lambda ctx, grad: torch.ops.ca_tests.noted(grad), lib=library
        )
        _register_effectful_op("ca_tests::noted", _EffectType.ORDERED)

        def program(backward: Backward) -> Any:
            compiled = torch.compile(
                lambda x: torch.ops.ca_tests.noted(x.sin()).sum(), backend="aot_eager"
            )
            x = leaf(3)
            with backward.enabled():
                compiled(x).backward()
            return x.grad

        (graph,) = same(program).graphs
        assert any(row[1] == "with_effects" for row in graph)


def test_checkpoint_inside_a_compiled_forward(same: Same) -> None:
    def program(backward: Backward) -> Any:
        layer = nn.Linear(4, 4)

        @torch.compile(backend="aot_eager", fullgraph=True)
        def forward(x: torch.Tensor) -> torch.Tensor:
            return checkpoint(lambda t: layer(t).relu(), x, use_reentrant=False).sum()

        with backward.enabled():
            forward(torch.randn(3, 4)).backward()
        return layer.weight.grad

    same(program)


def test_backward_called_within_a_custom_function(same: Same) -> None:
    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(x)
            return x.sin()

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            (x,) = ctx.saved_tensors
            with torch.enable_grad():
                again = x.detach().requires_grad_()
                (inner,) = torch.autograd.grad(again.sin().sum(), again)
            return grad * inner

    def program(backward: Backward) -> Any:
        x = leaf(3)
        backward(Inner.apply(x).sum())
        return x.grad

    same(program)


# Torch warns of it once in a process.
@pytest.mark.filterwarnings("ignore:.*create_graph=True:UserWarning")
def test_create_graph_accumulates_a_differentiable_gradient(same: Same) -> None:
    def program(backward: Backward) -> Any:
        x = leaf(3)
        backward(x.pow(3).sum(), create_graph=True)
        first = gradient(x)
        x.grad = None
        return first.detach()

    same(program)


def test_a_gradient_that_two_parameters_share(same: Same) -> None:
    def program(backward: Backward) -> Any:
        x, y = leaf(3), leaf(3)
        x.grad = y.grad = torch.ones(3)
        backward((x + y).sum())
        return x.grad, y.grad

    same(program)


def test_python_numbers_that_a_node_keeps_are_part_of_the_graph(same: Same) -> None:
    """Another bound or exponent is another graph, even where sizes are dynamic."""

    def program(backward: Backward) -> Any:
        x = leaf(3)
        for value in (1.5, 1.5, 2.5, 2.5):
            backward(torch.clamp(x, min=-value, max=value).sum() + (x**value).nansum())
        return x.grad

    for dynamic in (False, True):
        outcome = same(program, dynamic=dynamic, backend="none")
        # `.grad` undefined, then defined; the other number; and no capture for the last
        assert len(outcome.graphs) == 3
        assert outcome.scalars == [[]] * 3


def test_complex_tensors(same: Same) -> None:
    def program(backward: Backward) -> Any:
        x = torch.randn(3, dtype=torch.complex64, requires_grad=True)
        backward((x * x.conj()).real.sum())
        return x.grad

    expected = error_under(STOCK_COMPILER, program)
    if expected is None:
        same(program)
    else:
        assert error_under(CaptureCompiler, program) == expected


def test_nested_tensors(same: Same) -> None:
    def program(backward: Backward) -> Any:
        x = torch.nested.nested_tensor(
            [torch.randn(2), torch.randn(3)], layout=torch.strided
        ).requires_grad_()
        backward(torch.nested.to_padded_tensor(x.sin(), 0.0).sum())

    expected = error_under(STOCK_COMPILER, program)
    assert expected is not None
    assert error_under(CaptureCompiler, program) == expected


def test_kwargs_override_of_the_config_reaches_the_backward() -> None:
    """`config.compiled_autograd` with options of its own for the backward's compile."""

    def breaks(compiler: Any) -> str:
        torch._dynamo.reset()
        use_engine(compiler)
        x = leaf(3)
        x.register_hook(lambda grad: (torch._dynamo.graph_break(), grad)[1])
        with (
            torch._dynamo.config.patch(
                compiled_autograd=True, compiled_autograd_kwargs_override={"fullgraph": True}
            ),
            pytest.raises(torch._dynamo.exc.Unsupported) as caught,
        ):
            torch.compile(lambda: (x * 2).sum().backward(), backend="eager")()
        return str(caught.value).splitlines()[0]

    try:
        assert breaks(CaptureCompiler) == breaks(STOCK_COMPILER)
    finally:
        use_engine(STOCK_COMPILER)


@pytest.mark.long
def test_cpp_functions_traceable_and_not(same: Same, tmp_path: Path) -> None:
    """Traceable ones are called in the graph; others run in eager mode behind a break."""
    from torch.utils.cpp_extension import load_inline

    source = textwrap.dedent(
        """
        template <bool traceable>
        struct Doubling : public torch::autograd::Function<Doubling<traceable>> {
          static constexpr bool is_traceable = traceable;
          static torch::Tensor forward(
              torch::autograd::AutogradContext* ctx, const torch::Tensor& x) {
            ctx->save_for_backward({x});
            return x * x;
          }
          static torch::autograd::variable_list backward(
              torch::autograd::AutogradContext* ctx, torch::autograd::variable_list grads) {
            return {grads[0] * 2 * ctx->get_saved_variables()[0]};
          }
        };
        // Numbers and tensors beside the saved ones; a gradient for one input only.
        struct Keeping : public torch::autograd::Function<Keeping> {
          static constexpr bool is_traceable = true;
          static torch::Tensor forward(
              torch::autograd::AutogradContext* ctx, const torch::Tensor& x,
              const torch::Tensor& shift, int64_t power, double scale) {
            ctx->save_for_backward({x});
            ctx->saved_data["shift"] = shift;
            ctx->saved_data["power"] = c10::SymInt(power);
            ctx->saved_data["scale"] = scale;
            return x * scale * power + shift;
          }
          static torch::autograd::variable_list backward(
              torch::autograd::AutogradContext* ctx, torch::autograd::variable_list grads) {
            auto x = ctx->get_saved_variables()[0];
            auto shift = ctx->saved_data["shift"].toTensor();
            auto power = ctx->saved_data["power"].toSymInt();
            auto scale = ctx->saved_data["scale"].toDouble();
            return {grads[0] * scale * power + shift * x.sym_numel(), {}, {}, {}};
          }
        };
        // Two outputs; what nobody used comes undefined.
        struct Pair : public torch::autograd::Function<Pair> {
          static constexpr bool is_traceable = true;
          static torch::autograd::variable_list forward(
              torch::autograd::AutogradContext* ctx, const torch::Tensor& x) {
            ctx->set_materialize_grads(false);
            return {x * 2, x * 3};
          }
          static torch::autograd::variable_list backward(
              torch::autograd::AutogradContext* ctx, torch::autograd::variable_list grads) {
            return {grads[0].defined() ? grads[0] * 2 : grads[1] * 3};
          }
        };
        torch::Tensor keeping(
            const torch::Tensor& x, const torch::Tensor& shift, int64_t power, double scale) {
          return Keeping::apply(x, shift, power, scale);
        }
        std::vector<torch::Tensor> pair(const torch::Tensor& x) { return Pair::apply(x); }
        torch::Tensor traceable(const torch::Tensor& x) { return Doubling<true>::apply(x); }
        torch::Tensor opaque(const torch::Tensor& x) { return Doubling<false>::apply(x); }
        """
    )
    extension = load_inline(
        name="ca_tests_cpp_functions",
        cpp_sources=source,
        functions=["traceable", "opaque", "keeping", "pair"],
        build_directory=str(tmp_path),
    )

    for function in (extension.traceable, extension.opaque):

        def program(backward: Backward, function: Any = function) -> Any:
            x = leaf(3)
            for _ in range(2):
                backward(function(x).sum())
            return x.grad

        outcome = same(program)
        names = [row[1] for row in outcome.graphs[0]]
        assert any("CppNode" in name or "run_non_traceable" in name for name in names)

    changing = [(2, 1.5), (2, 2.5), (3, 2.5), (-4, 0.0)]

    def numbers_that_change(backward: Backward) -> Any:
        grads = []
        for power, scale in changing:
            x = leaf(3)
            backward(extension.keeping(x, torch.ones(3), power, scale).sum())
            grads.append(x.grad)
        return grads

    for dynamic in (False, True):
        outcome = same(numbers_that_change, dynamic=dynamic, backend="none")
        assert outcome.scalars == [[2, 1.5]]  # inputs of the one graph for all of them
        for (power, scale), grad in zip(changing, outcome.result, strict=True):
            assert grad.tolist() == [scale * power + 3] * 3

    def sizes_that_change(backward: Backward) -> Any:
        grads = []
        for size in (3, 4, 5, 3):
            x = leaf(size)
            backward(extension.keeping(x, torch.ones(size), 2, 1.5).sum())
            grads.append(x.grad)
        return grads

    def one_output_or_the_other(backward: Backward) -> Any:
        x = leaf(3)
        for index in (0, 1, 0):
            backward(extension.pair(x)[index].sum())
        return x.grad

    def two_types_in_turn(backward: Backward) -> Any:
        x = leaf(3)
        for function in (extension.traceable, extension.opaque, extension.traceable):
            backward(function(x).sum())
        return x.grad

    for each in (sizes_that_change, one_output_or_the_other, two_types_in_turn):
        for dynamic in (False, True):
            assert same(each, dynamic=dynamic, backend="none").graphs
