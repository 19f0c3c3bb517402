"""Torch's own engine as the oracle: the same program under both, results side by side."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import torch
import torch._dynamo
import torch._dynamo.compiled_autograd as torch_engine
from torch import fx
from torch.utils._pytree import tree_leaves

from ca_engine.capture import compiler as compiler_module
from ca_engine.capture.compiler import CaptureCompiler
from ca_engine.compat import dynamo
from ca_engine.installation import SKIPPED_BY_DYNAMO, uninstall
from ca_engine.lowering import modes
from ca_engine.lowering.modes import Mode
from ca_engine.lowering.refusal import RefusalError
from ca_engine.lowering.sizes import with_sizes
from ca_engine.passes import PASSES
from tests.engine.graph_checker import checked_passes
from tests.warm.server import without_guard_latency

STOCK_COMPILER = torch_engine.AutogradCompilerInstance


def use_engine(compiler: Callable[..., Any]) -> None:
    """From here on, what C++ drives through a capture is made by ``compiler``."""
    vars(torch_engine)["AutogradCompilerInstance"] = compiler


# A backend with which `compare_engines` compares lowering instead of the engines, and one with
# which it runs programs under ``CA_LOWERING=check``.
COMPARE_LOWERING = "CA_TEST_COMPARE_LOWERING"
CHECK_LOWERING = "CA_TEST_CHECK_LOWERING"

# What a program returns: gradients and whatever else must agree.
Program = Callable[["Backward"], Any]


@dataclass
class Outcome:
    """What one engine made of a program."""

    result: Any = None
    graphs: list[list[tuple[Any, ...]]] = field(default_factory=list)
    modules: list[fx.GraphModule] = field(default_factory=list)
    # Per capture the numbers that became inputs of the graph
    sizes: list[list[int]] = field(default_factory=list)
    scalars: list[list[float]] = field(default_factory=list)
    # The passes that ran, in order, each followed by a check of the graph
    passes: list[str] = field(default_factory=list)
    # Leaves that gradients were accumulated into, in the order in which captures met them
    leaves: list[torch.Tensor] = field(default_factory=list)
    # What is left behind beside the result: see `left_behind`
    left: list[tuple[Any, ...]] = field(default_factory=list)
    # For each graph that was lowered or not: ``way`` or ``reason``
    ways: list[str] = field(default_factory=list)


class Backward:
    """Runs backwards under one engine and keeps the graphs it captured."""

    def __init__(self, outcome: Outcome, backend: str, dynamic: bool, fullgraph: bool) -> None:
        self._outcome = outcome
        self._backend = backend
        self._dynamic = dynamic
        self._fullgraph = fullgraph

    @contextlib.contextmanager
    def enabled(self) -> Iterator[None]:
        with torch_engine._enable(self._compile, dynamic=self._dynamic):
            yield

    def __call__(self, tensor: torch.Tensor, *args: Any, **kwargs: Any) -> None:
        with self.enabled():
            tensor.backward(*args, **kwargs)

    def grad(self, *args: Any, **kwargs: Any) -> tuple[torch.Tensor, ...]:
        with self.enabled():
            return torch.autograd.grad(*args, **kwargs)

    def _compile(self, module: fx.GraphModule) -> Any:
        check_code(module.graph)
        self._outcome.modules.append(module)
        self._outcome.graphs.append(canonical(module.graph))
        if self._backend == "none":
            return module
        return torch.compile(
            module, backend=self._backend, dynamic=self._dynamic, fullgraph=self._fullgraph
        )


def check_code(graph: fx.Graph) -> None:
    """The code of ``graph`` is what FX writes, with comments and without."""
    if type(graph) is fx.Graph:  # torch's engine has FX write it
        return
    for verbose in (False, True):
        try:
            expected = fx.Graph.python_code(graph, "self", verbose=verbose)
        except Exception as error:  # what FX itself can't write
            with pytest.raises(type(error)):
                graph.python_code("self", verbose=verbose)
            continue
        got = graph.python_code("self", verbose=verbose)
        assert got.src == expected.src
        assert got._lineno_map == expected._lineno_map
        assert got._prologue_start == expected._prologue_start
        assert got.globals.keys() == expected.globals.keys()
        assert all(got.globals[name] is value for name, value in expected.globals.items())


def run_under(
    compiler: Callable[..., Any],
    program: Program,
    *,
    backend: str = "eager",
    dynamic: bool = False,
    fullgraph: bool = False,
    lowering: Mode = Mode.OFF,
) -> Outcome:
    outcome = Outcome()
    torch._dynamo.reset()
    torch.manual_seed(0)
    run_passes = vars(compiler_module)["run_passes"]
    use_engine(noting_what_is_lifted(compiler, outcome))
    vars(compiler_module)["run_passes"] = checked_passes(outcome.passes)
    noted = partial(note_way, outcome.ways)
    try:
        with modes.switched(lowering), noting_ways(noted):
            outcome.result = program(Backward(outcome, backend, dynamic, fullgraph))
        outcome.left = left_behind(outcome.leaves)
    finally:
        use_engine(STOCK_COMPILER)
        vars(compiler_module)["run_passes"] = run_passes
    return outcome


def noting_what_is_lifted(compiler: Any, outcome: Outcome) -> Any:
    class Noting(compiler):  # type: ignore[misc]
        def begin_capture(self, inputs: Any, sizes: Any, scalars: Any, *rest: Any) -> Any:
            seen = {id(leaf) for leaf in outcome.leaves}
            outcome.leaves += [
                each
                for each in inputs
                if each.is_leaf and each.requires_grad and id(each) not in seen
            ]
            outcome.sizes.append(list(sizes))
            outcome.scalars.append(list(scalars))
            return super().begin_capture(inputs, sizes, scalars, *rest)

    return Noting


def left_behind(leaves: Sequence[torch.Tensor]) -> list[tuple[Any, ...]]:
    """State that a program can look at afterwards: each leaf and its ``.grad``, and the RNG.

    Of tensors sizes, strides, offset and version, and which of them share memory.
    """
    storages: dict[int, int] = {}
    rows: list[tuple[Any, ...]] = []
    for leaf in leaves:
        for tensor in (leaf, leaf.grad):
            if tensor is None or tensor.layout is not torch.strided or is_subclass(tensor):
                rows.append((type(tensor).__name__,))
                continue
            storage = storages.setdefault(tensor.untyped_storage()._cdata, len(storages))
            geometry = (tuple(tensor.shape), tensor.stride(), tensor.storage_offset())
            rows.append((*geometry, tensor.dtype, tensor._version, storage))
    return [*rows, tuple(torch.get_rng_state().tolist())]


def is_subclass(tensor: torch.Tensor) -> bool:
    return type(tensor) not in (torch.Tensor, torch.nn.Parameter)


def noting_ways(note: Callable[..., None]) -> AbstractContextManager[Any]:
    if not modes.current().is_on:
        return contextlib.nullcontext()
    from ca_engine.lowering.lowered import LoweredBackward

    return mock.patch.object(LoweredBackward, "_record", note)


def note_way(ways: list[str], compiler: Any, refusal: RefusalError | None, *_: Any) -> None:
    ways.append("lowered" if refusal is None else refusal.reason)
    assert refusal is None or refusal.reason != "error", refusal.detail


def compare_engines(program: Program, **options: Any) -> Outcome:
    """Runs ``program`` under both engines and asserts that results and graphs are equal.

    Ours then captures it once more with sizes as inputs, or without: its passes are checked on
    those graphs too, and what they compute. Torch's graphs run as they were captured where ours
    go through Dynamo to the backend "eager", which computes the same: one compile in place of two.
    """
    if backend := os.environ.get(COMPARE_LOWERING):
        return _compare_lowering_instead(program, backend, options)
    if backend := os.environ.get(CHECK_LOWERING):
        return _check_lowering_instead(program, backend, options)
    as_captured = {"backend": "none"} if options.get("backend", "eager") == "eager" else {}
    expected = run_under(STOCK_COMPILER, program, **{**options, **as_captured})
    got = run_under(CaptureCompiler, program, **options)
    assert len(got.graphs) == len(expected.graphs), "number of captures"
    for ours, theirs in zip(got.graphs, expected.graphs, strict=True):
        assert ours == theirs
    atol = spread_of_torch(program, expected, options)
    torch.testing.assert_close(got.result, expected.result, rtol=0, atol=atol, equal_nan=True)
    lowering = Mode.ON if modes.is_proven() else Mode.OFF
    lowered = run_under(CaptureCompiler, program, lowering=lowering, **options)
    assert len(lowered.graphs) == len(expected.graphs), "number of captures"
    assert_same_bits(lowered, expected, atol)
    if options.get("backend", "eager") == "eager" and not options.get("fullgraph"):
        assert set(lowered.ways) <= {"lowered"}
    other = run_under(
        CaptureCompiler, program, backend="none", dynamic=not options.get("dynamic", False)
    )
    torch.testing.assert_close(other.result, expected.result, equal_nan=True)
    static, dynamic = (other, got) if options.get("dynamic") else (got, other)
    if len(static.graphs) == len(dynamic.graphs):
        assert [canonical(graph) for graph in graphs_with_sizes(dynamic)] == static.graphs
    for outcome in (got, other):
        assert outcome.passes == [one.__name__ for one in PASSES] * len(outcome.graphs)
    return got


def graphs_with_sizes(outcome: Outcome) -> Iterator[fx.Graph]:
    """The captured graphs, each for the sizes that it was captured with."""
    for module, lifted in zip(outcome.modules, outcome.sizes, strict=True):
        graph: Any = module.graph
        yield with_sizes(module, [lifted[index] for index in graph.inputs.sizes]).graph


def _compare_lowering_instead(program: Program, backend: str, options: Any) -> Outcome:
    """For `tests/engine/lowering/test_every_program.py`, which runs these tests once more."""
    from tests.engine.lowering.aten_graphs import compare_lowering, run_as_traced

    mode = Mode(os.environ[f"{COMPARE_LOWERING}_MODE"])
    outcome = compare_lowering(program, mode=mode, **{**options, "backend": backend})
    if backend == "aot_eager" and mode is Mode.ON:
        as_traced = run_as_traced(program, **options)
        torch.testing.assert_close(as_traced.result, outcome.result, rtol=0, atol=0, equal_nan=True)
    # What tests look at afterwards
    outcome.passes = [one.__name__ for one in PASSES] * len(outcome.graphs)
    with Path(os.environ[COMPARE_LOWERING + "_WAYS"]).open("a") as ways:
        ways.writelines(f"{way}\n" for way in outcome.ways)
    return outcome


def _check_lowering_instead(program: Program, backend: str, options: Any) -> Outcome:
    """For `tests/engine/lowering/test_check.py`, which runs these tests once more."""
    from ca_engine.lowering.check import LoweringDifferenceError

    run = partial(run_under, CaptureCompiler, program, **{**options, "backend": backend})
    try:
        outcome = run(lowering=Mode.CHECK)
    except LoweringDifferenceError:
        raise
    except Exception as error:
        with pytest.raises(type(error)):
            run(lowering=Mode.OFF)
        pytest.skip(f"torch itself fails with {backend}: {type(error).__name__}")
    outcome.passes = [one.__name__ for one in PASSES] * len(outcome.graphs)
    return outcome


def spread_of_torch(program: Program, expected: Outcome, options: dict[str, Any]) -> float:
    """Largest difference between runs of torch's own engine: 0.0 but for kernels of GPUs."""
    if os.environ.get("CA_TEST_DEVICE", "cpu") == "cpu":
        return 0.0
    return max(_gap(run_under(STOCK_COMPILER, program, **options), expected) for _ in range(3))


def _gap(one: Outcome, other: Outcome) -> float:
    pairs = zip(tree_leaves(one.result), tree_leaves(other.result), strict=True)
    gaps = [
        (one.detach() - two.detach()).abs().nan_to_num(0.0).max().item()
        for one, two in pairs
        if isinstance(one, torch.Tensor) and one.layout is torch.strided and one.numel()
    ]
    return max(gaps, default=0.0)


def assert_same_bits(got: Outcome, expected: Outcome, atol: float = 0.0) -> None:
    torch.testing.assert_close(got.result, expected.result, rtol=0, atol=atol, equal_nan=True)
    assert got.left == expected.left


def error_under(compiler: Any, program: Program) -> str | None:
    """The first line of what ``program`` raises under an engine, None if it runs."""
    try:
        run_under(compiler, program)
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    finally:
        torch._dynamo.reset()
    return None


def canonical(graph: fx.Graph) -> list[tuple[Any, ...]]:
    """The graph as rows that are equal for graphs equal up to names and dead elements."""
    number: dict[fx.Node, int] = {}
    rows: list[tuple[Any, ...]] = []

    def plain(value: Any) -> Any:
        if isinstance(value, fx.Node):
            return f"%{number[value]}"
        if isinstance(value, (list, tuple)):
            return [type(value).__name__, *(plain(item) for item in value)]
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        return repr(value)

    for node in graph.nodes:
        if "getitem" in str(node.target) and not node.users:
            continue
        number[node] = len(number)
        args = plain(node.args)
        if _target_name(node) == "call_aot_bwd_prologue":
            # Until torch 2.12 its engine passes the gradients one by one, not as a list.
            args = [item for item in _flat(args) if item not in ("tuple", "list")]
        rows.append((node.op, _target_name(node), args, plain(node.kwargs)))
    return rows


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for item in value:
            yield from _flat(item)
    else:
        yield value


def _target_name(node: fx.Node) -> str:
    if node.op in ("get_attr", "call_module"):
        return str(node.target).rstrip("_0123456789")  # numbers make the name unique
    if node.op != "call_function":
        return str(node.target)
    name: str = getattr(node.target, "__name__", str(node.target))
    # A custom C++ function is bound anew for each capture, under a number of its own.
    return name.rstrip("0123456789") if name.startswith("CppNode") else name


@pytest.fixture(autouse=True, scope="session")
def _dynamo_skips_the_engine() -> None:
    dynamo.skip(SKIPPED_BY_DYNAMO)


@pytest.fixture(autouse=True, scope="session")
def _no_guard_latency() -> None:
    without_guard_latency()


@pytest.fixture(autouse=True, scope="session")
def _no_words_about_side_effects() -> Iterator[None]:
    """Let Dynamo format no stack for its log of side effects: 20 ms each, below all of pytest."""
    with side_effects_are("silent"):
        yield


def side_effects_are(policy: str) -> AbstractContextManager[Any]:
    """Let Dynamo log them ("info"), or not ("silent"), if this torch asks."""
    config: Any = torch._dynamo.config
    if not hasattr(config, "side_effect_replay_policy"):
        return contextlib.nullcontext()
    patched: AbstractContextManager[Any] = config.patch(side_effect_replay_policy=policy)
    return patched


@pytest.fixture(autouse=True, scope="session")
def _on_device() -> None:
    """``make gpu`` runs these tests with their tensors on the GPU."""
    if device := os.environ.get("CA_TEST_DEVICE"):
        torch.set_default_device(device)


@pytest.fixture(autouse=True)
def _fresh_torch() -> Iterator[None]:
    """Each test begins with nothing compiled and torch's own engine.

    `ca_engine.enable` leaves the engine installed, which a later test of the same worker would
    take for torch's own.
    """
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()
    uninstall()
    assert torch_engine.AutogradCompilerInstance is STOCK_COMPILER


@pytest.fixture
def our_engine() -> Iterator[None]:
    use_engine(CaptureCompiler)
    yield
    use_engine(STOCK_COMPILER)


@pytest.fixture
def captured() -> list[fx.GraphModule]:
    return []


@pytest.fixture
def keep(captured: list[fx.GraphModule]) -> Callable[[fx.GraphModule], Any]:
    def compile_graph(module: fx.GraphModule) -> Any:
        captured.append(module)
        return module

    return compile_graph


@pytest.fixture
def same() -> Callable[..., Outcome]:
    return compare_engines


def gradient(leaf: torch.Tensor) -> Any:
    """Its ``.grad``, which is there by now: a tensor, or whatever stands for one."""
    assert leaf.grad is not None
    return leaf.grad


def leaf(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """A random tensor that wants a gradient."""
    return torch.randn(*shape, dtype=dtype, requires_grad=True)
