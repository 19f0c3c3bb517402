"""Compiles AOTAutograd's inference graphs as inductor does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace
from typing import Any, get_args

import torch
from torch import fx
from torch._dispatch.python import enable_python_dispatcher
from torch._dynamo import compiled_autograd as torch_engine
from torch._dynamo import config as dynamo_config
from torch._dynamo.utils import counters, preserve_rng_state
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
from torch.fx._lazy_graph_module import _use_lazy_graph_module
from torch.fx.passes.fake_tensor_prop import FakeTensorProp
from torch.fx.traceback import preserve_node_meta

from ca_engine import schema
from ca_engine.compat import versions


def cache_counts() -> dict[schema.LoweringCache, int]:
    """Return how often FxGraphCache hit, missed and was bypassed, from torch's counters."""
    return {
        use: int(counters["inductor"][f"fxgraph_cache_{use}"])
        for use in get_args(schema.LoweringCache)
    }


@contextmanager
def noting_bypass(note: Callable[[str], None]) -> Iterator[None]:
    """``note`` gets why FxGraphCache does not take a graph that is compiled within."""
    stock = FxGraphCache.prepare_key

    def noting(*args: Any, **kwargs: Any) -> Any:
        key, found = stock(*args, **kwargs)
        if key is None:
            note(str(found.get("cache_bypass_reason")))
        return key, found

    owner: Any = FxGraphCache
    owner.prepare_key = staticmethod(noting)
    try:
        yield
    finally:
        owner.prepare_key = staticmethod(stock)


def inductor_option(options: dict[str, Any]) -> str | None:
    """A setting with which inductor does more than compile an ATen graph, None if none is on."""
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
    module: fx.GraphModule,
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
    ):
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
