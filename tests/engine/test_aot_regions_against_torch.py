"""Backwards of compiled forwards that hold more than operators: objects, modules, attributes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import fx
from torch._dynamo.backends.common import aot_autograd
from torch._functorch._aot_autograd.utils import make_boxed_func
from torch._functorch.partitioners import default_partition
from torch._library import opaque_object
from torch._opaque_base import OpaqueBase
from torch.fx.passes.utils.fuser_utils import fuse_by_partitions

from ca_engine.capture.compiler import CaptureCompiler
from tests.engine.conftest import Backward, Outcome, leaf, run_under

Same = Callable[..., Outcome]


def rows(outcome: Outcome, op: str) -> list[Any]:
    return [row for graph in outcome.graphs for row in graph if row[0] == op]


class Scale(OpaqueBase):
    """State that operators share and torch knows nothing of."""

    def __init__(self, factor: float) -> None:
        self.factor = factor


@contextmanager
def operator_with_an_object() -> Iterator[Callable[..., torch.Tensor]]:
    """``scaled(x, scale)``, whose backward needs the object that the forward got."""
    if not opaque_object.is_opaque_type(Scale):
        opaque_object.register_opaque_type(Scale, typ="reference")
    name = opaque_object.get_opaque_type_name(Scale)
    with torch.library._scoped_library("ca_objects", "FRAGMENT") as library:
        library.define(f"scaled(Tensor x, {name} scale) -> Tensor")
        library.impl("scaled", lambda x, scale: x * scale.factor, "CompositeExplicitAutograd")
        torch.library.register_fake(
            "ca_objects::scaled", lambda x, scale: torch.empty_like(x), lib=library
        )
        scaled = torch.ops.ca_objects.scaled

        def keep(ctx: Any, inputs: Any, output: torch.Tensor) -> None:
            ctx.scale = inputs[1]

        torch.library.register_autograd(
            "ca_objects::scaled",
            lambda ctx, grad: (scaled(grad, ctx.scale), None),
            setup_context=keep,
            lib=library,
        )
        yield scaled


def test_opaque_objects_reach_the_backward(same: Same) -> None:
    with operator_with_an_object() as scaled:

        def program(backward: Backward) -> Any:
            compiled = torch.compile(
                lambda x, scale: scaled(x.sin(), scale).sum(), backend="aot_eager", fullgraph=True
            )
            x = leaf(3)
            with backward.enabled():
                for factor in (2.0, 3.0):  # another object, the same graph
                    compiled(x, Scale(factor)).backward()
            return x.grad

        outcome = same(program, backend="none")
        (prologue,) = [
            node
            for node in outcome.modules[0].graph.nodes
            if "call_aot_bwd_prologue" in str(node.target)
        ]
        _, _, objects, _ = prologue.args
        assert [node.args[0].target for node in objects] == ["hooks"]


def fused_partition(joint: fx.GraphModule, inputs: Any, **options: Any) -> Any:
    """A partitioner as backends with kernels of their own have it: the pointwise operators of
    the backward become one sub-module."""
    forward, backward = default_partition(joint, inputs, **options)
    pointwise = {torch.ops.aten.mul.Tensor, torch.ops.aten.neg.default, torch.ops.aten.cos.default}
    nodes = [node for node in backward.graph.nodes if node.target in pointwise]
    return forward, fuse_by_partitions(backward, [dict.fromkeys(nodes)])


def test_modules_called_by_a_backward() -> None:
    """Torch's engine gives up on these (2.13: "owning_module not set"), so eager is the oracle."""
    compiler = aot_autograd(
        fw_compiler=lambda module, _: make_boxed_func(module),
        bw_compiler=lambda module, _: make_boxed_func(module),
        partition_fn=fused_partition,
    )

    def forward(x: torch.Tensor) -> torch.Tensor:
        return x.sin().cos().sum()

    def program(backward: Backward) -> Any:
        compiled = torch.compile(forward, backend=compiler)
        x = leaf(3)
        with backward.enabled():
            for _ in range(2):
                (compiled(x) + compiled(x * 2)).backward()
        return x.grad

    outcome = run_under(CaptureCompiler, program, backend="none")
    assert len(rows(outcome, "call_module")) == 2 * 2
    torch.manual_seed(0)
    x = leaf(3)
    for _ in range(2):
        (forward(x) + forward(x * 2)).backward()
    torch.testing.assert_close(outcome.result, x.grad)


def test_attributes_read_by_a_backward(same: Same) -> None:
    """The branches of `cond`, each under a name of its own for each call."""

    def program(backward: Backward) -> Any:
        def forward(x: torch.Tensor) -> torch.Tensor:
            return torch.cond(x.sum() > 0, lambda t: t.sin(), lambda t: t.cos(), (x,)).sum()

        compiled = torch.compile(forward, backend="aot_eager", fullgraph=True)
        x = leaf(3)
        with backward.enabled():
            (compiled(x) + compiled(x.exp())).backward()
        return x.grad

    outcome = same(program, backend="none")
    assert len(rows(outcome, "get_attr")) == 4  # two branches of two calls


def test_views_of_a_backward_become_reshapes(same: Same) -> None:
    """The gradient comes in with strides that the region's own ``view`` would refuse."""

    def program(backward: Backward) -> Any:
        compiled = torch.compile(lambda x: x.sin().view(6, 2), backend="aot_eager")
        x = leaf(3, 4)
        with backward.enabled():
            result = compiled(x)
            (result.t() * torch.arange(12.0).view(2, 6)).sum().backward()
        return x.grad

    outcome = same(program)
    targets = {row[1] for row in outcome.graphs[0]}
    assert "reshape.default" in targets
    assert "view.default" not in targets


def test_nodes_of_regions_are_named_after_them(same: Same) -> None:
    def program(backward: Backward) -> Any:
        compiled = torch.compile(lambda x: x.sin().cos(), backend="aot_eager")
        x = leaf(3)
        with backward.enabled():
            compiled(compiled(compiled(x))).sum().backward()
        return x.grad

    (module,) = same(program).modules
    names = [node.name for node in module.graph.nodes if node.name.startswith("aot")]
    region = names[0].split("_")[0]
    assert {name.rpartition("_neg")[0] for name in names if "_neg" in name} == {
        region,
        f"{region}_1",
        f"{region}_2",
    }


def test_invoke_subgraph(same: Same) -> None:
    """`mark_compile_region` keeps one graph for all calls of a function."""

    def program(backward: Backward) -> Any:
        @torch.compiler.nested_compile_region
        def layer(x: torch.Tensor) -> torch.Tensor:
            return x.sin() * x

        compiled = torch.compile(
            lambda x: layer(layer(x)).sum(), backend="aot_eager", fullgraph=True
        )
        x = leaf(3)
        with backward.enabled():
            compiled(x).backward()
        return x.grad

    outcome = same(program, backend="none")
    assert rows(outcome, "get_attr")


@pytest.mark.long
def test_a_region_from_aotautograd_cache(tmp_path: Path) -> None:
    """A later process finds the region in the cache, its backward's graph beside it."""
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            """
            import json, sys, torch
            from torch import nn
            from ca_engine.capture.compiler import CaptureCompiler
            from tests.engine.conftest import STOCK_COMPILER, run_under

            def program(backward):
                layer = nn.Linear(3, 3)
                region = torch.compile(lambda x: layer(x).sin(), backend="inductor")
                for size in (2, 2):
                    loss = region(torch.ones(size, 3)).sum()
                    if sys.argv[1] == "eager":
                        loss.backward()
                    else:
                        backward(loss)
                return layer.weight.grad.tolist()

            compiler = STOCK_COMPILER if sys.argv[1] == "torch" else CaptureCompiler
            outcome = run_under(compiler, program, backend="none")
            hits = torch._dynamo.utils.counters["aot_autograd"]["autograd_cache_hit"]
            print(json.dumps([hits, outcome.result, outcome.graphs]))
            """
        )
    )

    def run(engine: str) -> Any:
        done = subprocess.run(
            [sys.executable, str(script), engine],
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(sys.path),
                "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache"),
                "TORCHINDUCTOR_AUTOGRAD_CACHE": "1",
            },
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return json.loads(done.stdout.splitlines()[-1])

    hits, eager, _ = run("eager")
    assert hits == 0
    ours, theirs = run("ca"), run("torch")
    assert ours[0] > 0
    assert len(ours[2]) == 2
    assert ours == theirs
    torch.testing.assert_close(torch.tensor(ours[1]), torch.tensor(eager))
