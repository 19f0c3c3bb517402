"""AOT regions: what AOTAutograd leaves of a compiled forward for its backward."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, TypeGuard

import torch
import torch._dynamo.compiled_autograd as torch_engine
from torch._functorch._aot_autograd.schemas import ViewAndMutationMeta

from ca_engine.tracebacks import frames_in

GPU_RANDOM_ERROR = (
    "compiled autograd can't run a backward that draws the random numbers of its forward again on "
    "a GPU (dropout in a checkpoint): set torch._functorch.config.graphsafe_rng_functionalization "
    "= False before the forward is compiled, or compile the forward with inductor"
)


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
    """Return the FX graph of a region's backward, which was kept for lazy compilation."""
    module = torch_engine.extract_bw_module(region)
    assert isinstance(module, torch.fx.GraphModule)
    return module


def draws_on_gpu(region: AotRegion) -> bool:
    """Return whether a region's backward takes states of a GPU's generator as arguments.

    Its own run sets them; they are no saved tensors, so a captured backward does not have them.
    Torch before 2.7 has no such arguments.
    """
    return bool(getattr(region.metadata, "num_graphsafe_rng_states", 0))


def has_backward(region: AotRegion) -> bool:
    """Return whether `backward_module` has one to give: a region from AOTAutogradCache may not."""
    return region._lazy_backward_info is not None  # type: ignore[attr-defined]


def stack_traces(region: AotRegion) -> list[str]:
    """Return the texts of the user's stacks that a region's backward came from, in its order.

    Only of a module that is at hand: one from AOTAutogradCache would have to be made for this.
    """
    module = getattr(getattr(region, "_lazy_backward_info", None), "bw_module", None)
    if not isinstance(module, torch.fx.GraphModule):
        return []
    traces = (node.meta.get("stack_trace") for node in module.graph.nodes)
    return [trace for trace in dict.fromkeys(traces) if isinstance(trace, str)]


# By device and dtype, the texts of the user's stacks.
Places = dict[tuple[str, torch.dtype], list[str]]


class Products(NamedTuple):
    """Products of a backward: those that autograd's own nodes cast to a precision, and others."""

    cast: Places
    others: Places


def products(region: AotRegion) -> Products:
    """In which precision a region's backward makes its products.

    AOTAutograd traces a backward under the autocast that was on where its forward was called, so
    what a part of the forward computed with it off, or in another dtype, is cast in the backward
    nevertheless: by the node of autograd that makes the product (``seq_nr``), where the casts of
    the forward have nodes of their own. So is what the backward of a user's Function multiplies,
    but where ``custom_bwd`` turns the autocast of its forward on, as eager does. Empty where the
    module is not at hand (`stack_traces`).
    """
    module = getattr(getattr(region, "_lazy_backward_info", None), "bw_module", None)
    found = Products({}, {})
    if not isinstance(module, torch.fx.GraphModule):
        return found
    for node in module.graph.nodes:
        value = node.meta.get("val")
        if _operation(node) not in _PRODUCTS or not isinstance(value, torch.Tensor):
            continue
        is_cast = any(_is_own_cast(given, node) for given in node.all_input_nodes)
        places = found.cast if is_cast else found.others
        traces = places.setdefault((value.device.type, value.dtype), [])
        trace = node.meta.get("stack_trace")
        if isinstance(trace, str) and trace not in traces:
            traces.append(trace)
    return found


# What autocast computes in its dtype, as it stands in a traced backward.
_PRODUCTS = frozenset(("mm", "addmm", "bmm", "baddbmm", "addbmm", "addmv", "mv", "dot", "linear"))
_CASTS = frozenset(("_to_copy", "convert_element_type"))


def _is_own_cast(node: torch.fx.Node, product: torch.fx.Node) -> bool:
    """Return whether the autograd node that makes ``product`` casts another precision to it."""
    if _operation(node) not in _CASTS:
        return False
    tag = product.meta.get("partitioner_tag")
    if tag != "is_backward" and (tag is not None or not _is_implicit(node, product)):
        return False
    number = node.meta.get("seq_nr")
    value = node.meta.get("val")
    source = node.all_input_nodes[0].meta.get("val") if node.all_input_nodes else None
    return (
        number is not None
        and number == product.meta.get("seq_nr")
        and isinstance(value, torch.Tensor)
        and isinstance(source, torch.Tensor)
        and source.dtype.is_floating_point
        and source.dtype != value.dtype == product.meta["val"].dtype
    )


def _is_implicit(node: torch.fx.Node, product: torch.fx.Node) -> bool:
    """Return whether tracing's autocast makes the cast ``node``, in a Function's own backward.

    Its operations come from the user's calls (``source_fn_stack``): a cast that is written is a
    call of its own, one of autocast's belongs to the call of the product.
    """
    calls = node.meta.get("source_fn_stack")
    if not calls or calls != product.meta.get("source_fn_stack"):
        return False
    frames = frames_in(product.meta.get("stack_trace", ""))
    return not any(frame.file == _DECORATORS for frame in frames)


# Where `torch.amp.custom_bwd` and `torch.autocast` as a decorator run what they wrap.
_DECORATORS = torch.amp.custom_bwd.__code__.co_filename


def _operation(node: torch.fx.Node) -> str:
    packet = getattr(node.target, "overloadpacket", None)
    return getattr(packet, "__name__", "") if node.op == "call_function" else ""


def compile_id(region: AotRegion) -> str | None:
    """Return the compilation that a region's forward came from, ``3/0``."""
    info = getattr(region, "_lazy_backward_info", None)
    context = getattr(info, "saved_compile_context", None)
    return None if context is None else str(context.compile_id)


def symints_of(ctx: Any) -> Sequence[Any]:
    """Return the sizes that a region's ``ctx`` saved, as C++ lifted them in this capture."""
    symints: Sequence[Any] = ctx._get_compiled_autograd_symints()
    return symints
