"""Compiles AOTAutograd's inference graphs as inductor does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from types import SimpleNamespace
from typing import Any, ClassVar, NamedTuple

import torch
from torch import fx
from torch._dispatch.python import enable_python_dispatcher
from torch._dynamo import compiled_autograd as torch_engine
from torch._dynamo import config as dynamo_config
from torch._dynamo.utils import preserve_rng_state
from torch._functorch import config as functorch_config
from torch._functorch._aot_autograd.logging_utils import track_graph_compiling
from torch._functorch._aot_autograd.utils import make_boxed_func
from torch._functorch.aot_autograd import AOT_COUNTER, aot_autograd_decompositions
from torch._guards import TracingContext, tracing
from torch._inductor import compile_fx, config
from torch._inductor.codecache import FxGraphCache
from torch._inductor.compile_fx import compile_fx_inner, create_compiler_config_extra
from torch._inductor.debug import reset_provenance_globals
from torch._inductor.decomposition import select_decomp_table
from torch._inductor.virtualized import V
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx._lazy_graph_module import _make_graph_module, _use_lazy_graph_module
from torch.fx.passes.fake_tensor_prop import FakeTensorProp
from torch.fx.traceback import preserve_node_meta

from ca_engine import schema
from ca_engine.compat import cpp_kernels, versions


class CacheAnswer(NamedTuple):
    """What FxGraphCache said of a graph; ``reason`` is why it was bypassed, if it was."""

    use: schema.LoweringCache
    reason: str | None


# Of the thread, or the task, that compiles: others compile their own graphs at the same time.
_answers: ContextVar[list[CacheAnswer] | None] = ContextVar("ca_cache_answers", default=None)


@contextmanager
def noting_cache_answers() -> Iterator[list[CacheAnswer]]:
    """Yield a list that gets an answer for each graph that this thread compiles within."""
    answers: list[CacheAnswer] = []
    with _CacheListeners():
        before = _answers.set(answers)
        try:
            yield answers
        finally:
            _answers.reset(before)


class _CacheListeners:
    """FxGraphCache's two methods note what they answer while anybody listens, in any thread.

    The first listener replaces them and the last one puts them back, so that it does not matter
    in which order threads come and go.
    """

    _lock: ClassVar = threading.Lock()
    _count: ClassVar = 0
    _stock: ClassVar[tuple[Any, Any] | None] = None

    def __enter__(self) -> None:
        cls = type(self)
        with cls._lock:
            cls._count += 1
            if cls._stock is None:
                cls._stock = FxGraphCache.prepare_key, FxGraphCache.load_with_key
                cls._replace(*(_noting(each) for each in cls._stock))

    def __exit__(self, *_: object) -> None:
        cls = type(self)
        with cls._lock:
            cls._count -= 1
            if not cls._count and cls._stock is not None:
                cls._replace(*cls._stock)
                cls._stock = None

    @staticmethod
    def _replace(prepare_key: Any, load_with_key: Any) -> None:
        owner: Any = FxGraphCache
        owner.prepare_key = staticmethod(prepare_key)
        owner.load_with_key = staticmethod(load_with_key)


def _noting(method: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a look-up, which returns what it found and a dict about it, to note the answer."""

    def noting(*args: Any, **kwargs: Any) -> Any:
        found, described = method(*args, **kwargs)
        answers = _answers.get()
        if answers is not None and "cache_state" in described:
            reason = described.get("cache_bypass_reason")
            answers.append(CacheAnswer(described["cache_state"], reason))
        return found, described

    return noting


def inductor_option(options: dict[str, Any]) -> str | None:
    """Return a setting with which inductor does more than compile an ATen graph, or None."""
    with config.patch(options):
        for name in ("freezing", "cpp_wrapper", "fx_wrapper", "selective_decompose"):
            if getattr(config, name, False):
                return name
        # It sees the graph before AOTAutograd does.
        if config.pre_grad_custom_pass is not None or config.pre_grad_fusion_options:
            return "passes before AOTAutograd"
        if config.triton.cudagraphs:
            return "triton.cudagraphs"
        return None


def inductor_decompositions(options: dict[str, Any]) -> tuple[bytes, dict[Any, Any]]:
    """Return inductor's decompositions, with a key for the settings that they depend on."""
    with config.patch(options):
        return config.get_hash(), {**aot_autograd_decompositions, **select_decomp_table()}


def inductor_compile(
    graph: fx.Graph,
    fakes: list[torch.Tensor],
    fake_mode: FakeTensorMode,
    static_inputs: Sequence[int],
    outputs: int,
    options: dict[str, Any],
    region_name: str | None,
) -> Callable[..., Any]:
    """Compile an inference graph with inductor; the result takes its inputs in one list.

    ``static_inputs`` are the positions of parameters, ``outputs`` is the number of results.
    Each node gets a fake tensor of its own on the way, which inductor reads memory relations off.
    The module and its inputs look as if AOTAutograd had made them, since FxGraphCache's key covers
    all of them: what torch compiled of the same graph is found, and the other way round.
    """
    tracing_context = TracingContext(fake_mode)
    metadata: Any = SimpleNamespace(
        static_input_indices=list(static_inputs),
        num_mutated_inp_runtime_indices=0,
        bw_donated_idxs=None,
    )
    tracing_context.fw_metadata = metadata
    names: Any = SimpleNamespace(aot_id=next(AOT_COUNTER))
    with (
        config.patch(options),
        _use_lazy_graph_module(dynamo_config.use_lazy_graph_module),
        preserve_node_meta(config.trace.provenance_tracking_level == 1),
        reset_provenance_globals(),
        V.set_fake_mode(fake_mode),
        tracing(tracing_context),
        torch_engine._disable(),
        functorch_config.patch(unlift_effect_tokens=True),
        torch.autograd.set_multithreading_enabled(False),
        preserve_rng_state(),
        fake_mode,
        enable_python_dispatcher(),
        track_graph_compiling(names, "inference"),
        cpp_kernels.compiled_together(),
    ):
        module = _make_graph_module(torch.nn.Module(), graph, "<lambda>")
        fakes = [fake.detach() for fake in fakes]
        FakeTensorProp(module, fake_mode).propagate_dont_convert_inputs(*fakes)
        # Torch 2.11 reads the configuration for the first, and takes nothing for the second.
        by_region = versions.inductor_names_regions()
        configured: Any = module if by_region else config
        extra = create_compiler_config_extra(configured)
        inner_options: dict[str, Any] = (
            {"compile_region_name": region_name, "get_decomp_fn": select_decomp_table}
            if by_region
            else {}
        )
        with TracingContext.report_output_strides():
            compiled = compile_fx.compile_fx_forward(
                module,
                fakes,
                num_orig_model_outputs=outputs,
                num_example_inputs=len(fakes),
                compiler_config_extra=extra,
                inner_compile=partial(compile_fx_inner, **inner_options),
                is_inference=True,
            )
    return compiled if getattr(compiled, "_boxed_call", False) else make_boxed_func(compiled)
