"""AOT regions: what AOTAutograd leaves of a compiled forward for its backward."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeGuard

import torch
import torch._dynamo.compiled_autograd as torch_engine
from torch._functorch._aot_autograd.schemas import ViewAndMutationMeta


class AotRegion(Protocol):
    """The `autograd.Function` that AOTAutograd makes for a compiled forward."""

    _aot_id: int
    metadata: ViewAndMutationMeta
    maybe_subclass_metadata: Any


def is_region(function: object) -> TypeGuard[AotRegion]:
    """Return whether a class of `autograd.Function` is an AOT region."""
    return hasattr(function, "_aot_id")


def number(region: AotRegion) -> int:
    """AOTAutograd's own number of a region, unique in the process."""
    return region._aot_id


def backward_module(region: AotRegion) -> torch.fx.GraphModule:
    """The FX graph of a region's backward, which was kept for lazy compilation."""
    module = torch_engine.extract_bw_module(region)
    assert isinstance(module, torch.fx.GraphModule)
    return module


def has_backward(region: AotRegion) -> bool:
    """Return whether `backward_module` has one to give: a region from AOTAutogradCache may not."""
    return region._lazy_backward_info is not None  # type: ignore[attr-defined]


def stack_traces(region: AotRegion) -> list[str]:
    """The texts of the user's stacks that a region's backward came from, in its order.

    Only of a module that is at hand: one from AOTAutogradCache would have to be made for this.
    """
    module = getattr(getattr(region, "_lazy_backward_info", None), "bw_module", None)
    if not isinstance(module, torch.fx.GraphModule):
        return []
    traces = (node.meta.get("stack_trace") for node in module.graph.nodes)
    return [trace for trace in dict.fromkeys(traces) if isinstance(trace, str)]


def compile_id(region: AotRegion) -> str | None:
    """The compilation that a region's forward came from, ``3/0``."""
    info = getattr(region, "_lazy_backward_info", None)
    context = getattr(info, "saved_compile_context", None)
    return None if context is None else str(context.compile_id)


def symints_of(ctx: Any) -> Sequence[Any]:
    """The sizes that a region's ``ctx`` saved, as C++ lifted them in the capture under way."""
    symints: Sequence[Any] = ctx._get_compiled_autograd_symints()
    return symints
