"""Backwards that AOTAutograd compiled: their graph is spliced into the captured one.

Calling such a backward as one opaque node would hide it from the compiler. Instead the
three steps of its run-time call become part of the graph: the prologue (packs saved values
and incoming gradients into a flat argument list) as one call, the backward graph node by
node, and the epilogue (drops tokens, wraps tensor subclasses), which is executed on handles
now because what it does depends on constants only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx

from ca_engine.capture.builder import GraphBuilder
from ca_engine.compat import aot_regions, autograd_nodes, dynamo, versions

# Metadata of the region's own trace; it describes other tensors than ours will be.
_STALE_META = ("val", "tensor_meta", "example_value")

HIGHER_ORDER_ERROR = "torch.compile does not currently support higher order gradients."


class AotSplicer:
    """Splices AOT backwards into one capture; counts how often each region came."""

    def __init__(self, builder: GraphBuilder) -> None:
        self._builder = builder
        self._seen: defaultdict[int, int] = defaultdict(int)

    def splice(
        self,
        ctx: Any,
        grads: Sequence[torch.Tensor | None],
        saved_tensors: Sequence[torch.Tensor],
        backward_state_index: int | None,
        opaque_object_indices: Sequence[int],
    ) -> Sequence[Any]:
        """Return what the backward returns, as FX nodes, None and constants.

        The indices are those of ``hooks``, where Python objects come in. Raises RuntimeError
        when the backward itself must be differentiable: AOTAutograd compiles no double backward;
        and when it needs states of a GPU's generator, where torch's engine has an IndexError.
        """
        region: aot_regions.AotRegion = autograd_nodes.forward_class(ctx)
        _refuse_double_backward(region)
        if aot_regions.draws_on_gpu(region):
            raise RuntimeError(aot_regions.GPU_RANDOM_ERROR)
        build = self._builder
        symints = build.to_nodes(list(aot_regions.symints_of(ctx)))
        flat = build.call_nodes(
            _prologue_call(versions.aot_prologue(region)),
            (
                build.to_nodes(saved_tensors),
                symints,
                [build.item(build.hooks, index) for index in opaque_object_indices],
                build.to_nodes(grads),
            ),
        )
        # Hooks that the forward registered, on what is no input of it; torch takes it only now.
        backward_state = (
            None if backward_state_index is None else build.item(build.hooks, backward_state_index)
        )
        backward = aot_regions.backward_module(region)
        outputs = self._copy_graph(
            backward, self._next_prefix(aot_regions.number(region)), flat, symints, backward_state
        )
        return self._epilogue(region, outputs)

    def _next_prefix(self, aot_id: int) -> str:
        """Return ``aot3_``, and ``aot3_1_`` for the same region again: names must be unique."""
        again = self._seen[aot_id]
        self._seen[aot_id] += 1
        return f"aot{aot_id}_{again}_" if again else f"aot{aot_id}_"

    def _copy_graph(
        self,
        backward: fx.GraphModule,
        prefix: str,
        flat: fx.Node,
        symints: Sequence[Any],
        backward_state: fx.Node | None,
    ) -> list[Any]:
        """Copy ``backward``'s nodes; its arguments are symints, tensors, then BackwardState."""
        build = self._builder
        placeholders = [node for node in backward.graph.nodes if node.op == "placeholder"]
        arguments: list[Any] = list(symints)
        from_flat = len(placeholders) - (backward_state is not None)
        arguments += [build.item(flat, index) for index in range(len(symints), from_flat)]
        if backward_state is not None:
            arguments.append(backward_state)

        copy_of: dict[fx.Node, Any] = {}
        for placeholder, argument in zip(placeholders, arguments, strict=True):
            if isinstance(argument, fx.Node):
                argument.name = prefix + placeholder.name
            copy_of[placeholder] = argument

        for node in backward.graph.nodes:
            if node.op == "placeholder":
                continue
            if node.op == "output":
                (outputs,) = node.args
                return [copy_of[out] if isinstance(out, fx.Node) else out for out in outputs]
            target = node.target
            if node.op in ("get_attr", "call_module"):
                target = build.attribute(target, _get_attribute(backward, target))
            elif target is torch.ops.aten.view.default:
                # The forward was compiled after views had become reshapes, so gradients may
                # arrive with strides that a view refuses.
                target = torch.ops.aten.reshape.default
            copy = build.copy(node, target, prefix + node.name, copy_of)
            for key in _STALE_META:
                copy.meta.pop(key, None)
            copy_of[node] = copy
        raise AssertionError("an AOT backward graph without an output node")

    def _epilogue(self, region: aot_regions.AotRegion, outputs: Sequence[Any]) -> Sequence[Any]:
        build = self._builder
        handles = [build.handle_for(out) if isinstance(out, fx.Node) else out for out in outputs]
        epilogue = versions.aot_epilogue(region)
        if region.maybe_subclass_metadata is None:
            return [build.to_nodes(result) for result in epilogue(handles)]

        def make_subclass_node(
            meta: Any, is_runtime: bool, unwrapped: Sequence[Any]
        ) -> torch.Tensor:
            node = build.call(_subclass_call(meta, is_runtime), tuple(unwrapped))
            return build.handle_for(node)

        results = epilogue(handles, make_subclass_override=make_subclass_node)
        return [build.to_nodes(result) for result in results]


def _refuse_double_backward(region: aot_regions.AotRegion) -> None:
    if torch.is_grad_enabled() and any(info.requires_grad for info in region.metadata.output_info):
        raise RuntimeError(HIGHER_ORDER_ERROR)


def _prologue_call(prologue: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``prologue`` as its own graph target: what it closes over is a region's constant."""

    def call_aot_bwd_prologue(
        saved_tensors: Sequence[torch.Tensor],
        symints: Sequence[Any],
        opaque_objects: Sequence[Any],
        grads: Sequence[Any],
    ) -> Any:
        return prologue(saved_tensors, symints, opaque_objects, grads)

    return _allow_in_graph(call_aot_bwd_prologue)


def _subclass_call(meta: Any, is_runtime: bool) -> Callable[..., Any]:
    def make_subclass(*unwrapped: Any) -> Any:
        return meta.creation_fn(unwrapped, is_runtime=is_runtime)

    return _allow_in_graph(make_subclass)


def _allow_in_graph(fn: Callable[..., Any]) -> Callable[..., Any]:
    allowed: Callable[..., Any] = dynamo.allow_in_graph(fn)  # type: ignore[no-untyped-call]
    return allowed


def _get_attribute(module: torch.nn.Module, path: str) -> Any:
    value: Any = module
    for name in path.split("."):
        value = getattr(value, name)
    return value
