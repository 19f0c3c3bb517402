"""The object that torch's C++ drives to capture one backward.

C++ finds a cache miss, makes one `CaptureCompiler`, and calls its methods in the order in
which the autograd engine would run the nodes; docs/engine.md lists every method. Nothing of
the conversation is left behind in ambient state (contexts, modes): if a node raises in the
middle, C++ drops the object without another word.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from time import time_ns
from typing import Any

import torch
from torch import fx

from ca_engine import trace
from ca_engine.capture.aot import AotSplicer
from ca_engine.capture.builder import GraphBuilder
from ca_engine.capture.code import module_without_code
from ca_engine.capture.cpp_operators import CppOperators
from ca_engine.capture.lifted import lift_float, lift_int
from ca_engine.capture.publish import announce_capture, announce_graph, announce_raw_graph
from ca_engine.compat import (
    aot_regions,
    autograd_nodes,
    compiled_autograd,
    dynamo,
    graph_calls,
    versions,
)
from ca_engine.lowering import modes
from ca_engine.lowering.grad_inputs import INPUT_OF_GRAD
from ca_engine.nan_check import NanCheck
from ca_engine.passes import run_passes
from ca_engine.passes.inputs import InputKind
from ca_engine.runtime import CompiledBackward, RuntimeWrapper
from ca_engine.traced import copy_slices_epilogue, copy_slices_prologue

# (layout, device, dtype, size) of a gradient, None where autograd expects none
OutputMetadata = Sequence[Any]
Handles = Sequence[torch.Tensor | None]
# For inputs, sizes and scalars: per element the (NodeCall index, node name) that owns it
Origins = Sequence[Sequence[tuple[int, str]]]

AOT_CACHE_ERROR = (
    "this compiled backward was loaded from AOTAutogradCache, which does not support compiled "
    "autograd: turn that cache off with TORCHINDUCTOR_AUTOGRAD_CACHE=0"
)


class CaptureCompiler:
    """Captures one backward as an FX graph and hands it to ``compiler_fn``.

    ``compiler_fn`` takes the captured `fx.GraphModule` and returns a callable with the
    graph's signature ``(inputs, sizes, scalars, hooks, packed_data) -> outputs``, for
    instance ``torch.compile``.
    """

    def __init__(self, compiler_fn: Callable[[fx.GraphModule], CompiledBackward]) -> None:
        self._compiler_fn = compiler_fn
        self._build = GraphBuilder()
        self._aot = AotSplicer(self._build)
        self._cpp_operators = CppOperators(self._build)
        self._accumulate_grad = False
        self._check_nans = False
        self._start_ns = 0
        self._id = -1

    # The frame of the conversation

    def begin_capture(
        self,
        inputs: list[torch.Tensor],
        sizes: list[int],
        scalars: list[int | float],
        origins: Origins,
        accumulate_grad: bool,
        check_nans: bool,
    ) -> tuple[str, list[torch.Tensor], list[Any], list[Any]]:
        """Make handles for all that was lifted to an input.

        ``origins`` is empty lists unless a verbose logger is set. Returns the compile id's
        text and one handle for each input, size and scalar.
        """
        self._start_ns = time_ns()
        self._id = compiled_autograd.begin_compile()
        self._accumulate_grad = accumulate_grad
        self._check_nans = check_nans
        build = self._build
        input_origins, size_origins, scalar_origins = origins

        self._build.graph.inputs.tensors = [
            InputKind(tensor.device.type, tensor.dim()) for tensor in inputs
        ]
        handles = []
        for index in range(len(inputs)):
            self._set_lifted_origin(input_origins, index)
            handles.append(build.handle_for(build.item(build.inputs, index)))

        size_items = []
        for index in range(len(sizes)):
            self._set_lifted_origin(size_origins, index)
            size_items.append(build.item(build.sizes, index))
        # A Python int can't be marked dynamic, so at run time a size arrives as the second
        # dimension of an empty tensor and the graph takes it out again.
        sym_sizes = [
            lift_int(size, build.call_nodes(graph_calls.unwrap_maybe_dynamic_int, (item,)))
            for size, item in zip(sizes, size_items, strict=True)
        ]

        sym_scalars: list[torch.SymInt | torch.SymFloat] = []
        for index, scalar in enumerate(scalars):
            self._set_lifted_origin(scalar_origins, index)
            item = build.item(build.scalars, index)
            sym_scalars.append(
                lift_int(scalar, item) if isinstance(scalar, int) else lift_float(scalar, item)
            )
        return compiled_autograd.compile_id_text(self._id), handles, sym_sizes, sym_scalars

    def _set_lifted_origin(self, origins: Sequence[tuple[int, str]], index: int) -> None:
        if origins:
            nodecall_index, name = origins[index]
            self.set_node_origin(name, nodecall_index, None)

    def log_compile_reasons(self, reasons: list[str]) -> None:
        """``reasons``: the texts of this cache entry's misses so far, this capture's last."""
        trace.artifact("compiled_autograd_compile_reasons", lambda: reasons, capture=self._id)

    def set_node_origin(self, name: str, index: int, ctx: Any) -> None:
        """Take the calls that follow as those for node ``index``; ``ctx`` is its Python object."""
        aot_id = ""
        if ctx is not None:
            autograd_nodes.refuse_freed(ctx)
            function = autograd_nodes.forward_class(ctx)
            if aot_regions.is_region(function):
                if not aot_regions.has_backward(function):
                    raise RuntimeError(AOT_CACHE_ERROR)
                aot_id = str(aot_regions.number(function))
            self._cpp_operators.start()
        else:
            self._cpp_operators.stop()
        line = sys._getframe().f_lineno
        self._build.set_origin(f"{name}{aot_id} (NodeCall {index})", __file__, line)

    def end_capture(self, outputs: Handles) -> tuple[RuntimeWrapper, RuntimeWrapper]:
        """Finish the graph, compile it, and return what C++ keeps for this cache entry.

        The second is the compiled function, which C++ only hands to the first. Ours has it
        already, but something must be there.
        """
        self._cpp_operators.stop()
        build, graph = self._build, self._build.graph
        build.call_nodes(graph_calls.EXEC_FINAL_CALLBACKS)
        graph.output(build.to_nodes(list(outputs)))
        with compiled_autograd.compile_context(self._id):
            announce_raw_graph(build.root, graph, self._id)
            run_passes(graph)
            nan_check = (
                NanCheck(graph, accumulate_grad=self._accumulate_grad) if self._check_nans else None
            )
            is_lowered = modes.current().is_on
            make_module = module_without_code if is_lowered else fx.GraphModule
            module = make_module(build.root, graph, f"CompiledAutograd{self._id}")
            dynamo.let_compiler_free_inputs(module)
            announce_graph(module, self._id)
            announce_capture(self._id, self._start_ns)
        inputs = graph.inputs
        compiled = self._compiler_fn(module)
        if is_lowered:
            # Not at the top: it names much of torch that other versions may not have.
            with dynamo.without_dynamo():
                from ca_engine.lowering.lowered import LoweredBackward

            compiled = LoweredBackward(
                module,
                compiled,
                self._compiler_fn,
                self._id,
                modes.current(),
                in_background=modes.in_background(),
            )
        wrapper = RuntimeWrapper(
            self._id,
            len(graph.nodes),
            inputs.sizes,
            inputs.moved,
            nan_check,
            compiled,
            plain_sizes=is_lowered,
        )
        return wrapper, wrapper

    def close(self) -> None:
        """C++ is done with this object. It does not say so where an error is its own."""
        self._cpp_operators.stop()

    __del__ = close

    # Autograd nodes

    def bind_function(
        self, name: str, fn: Callable[..., Any], is_custom_function: bool, is_traceable: bool
    ) -> str:
        """Register a C++ node's function, once per node type; return the name to call it by."""
        bound: str = compiled_autograd.op_registry().add(name, fn, is_custom_function, is_traceable)
        return bound

    def apply_functional(
        self, name: str, grads: Handles, args: Sequence[Any], output_metadata: OutputMetadata
    ) -> Handles:
        """Call a C++ node: ``grads`` come in, ``args`` are what the node saved."""
        node = self._build.call(compiled_autograd.op_registry().get(name), (grads, *args))
        return self._build.items(node, [True] * len(output_metadata))

    def validate_outputs(
        self, _: Any, outputs: list[Any], args: Sequence[Any], output_metadata: OutputMetadata
    ) -> Handles:
        """Cast and reduce gradients to what the next nodes expect.

        The handles stay the same and stand for the validated gradients from now on.
        """
        node = self._build.call(
            compiled_autograd.op_registry().get("validate_outputs"), (outputs, *args)
        )
        for index, handle in enumerate(outputs):
            if handle is not None:
                self._build.bind(handle, self._build.item(node, index))
        return outputs

    def proxy_call_backward(
        self,
        grads: Handles,
        output_metadata: OutputMetadata,
        saved_tensors: Sequence[torch.Tensor],
        backward_index: int,
        ctx: Any,
        backward_state_index: int | None,
        opaque_object_indices: Sequence[int] = (),
    ) -> Handles:
        """Call a Python `autograd.Function`, AOTAutograd's among them."""
        self._cpp_operators.stop()
        build = self._build
        ctx_node = build.item(build.hooks, backward_index)
        results: Sequence[Any] | fx.Node
        function = autograd_nodes.forward_class(ctx)
        if aot_regions.is_region(function):
            results = self._aot.splice(
                ctx,
                grads,
                saved_tensors,
                backward_state_index,
                opaque_object_indices,
            )
            return tuple(
                None if expected is None or result is None else build.handle_for(result)
                for expected, result in zip(output_metadata, results, strict=False)
            )
        if versions.boxes_gradients(function):
            raise RuntimeError(
                f"boxed_grads_call=True on {function.__name__} "
                "is not supported with compiled autograd. "
            )
        call = build.call(graph_calls.call_backward, (ctx_node, saved_tensors, *grads))
        return tuple(build.items(call, [expected is not None for expected in output_metadata]))

    def call_copy_slices_prologue(
        self,
        grads: Handles,
        base_sizes: Sequence[Any],
        base_strides: Sequence[Any],
        base_offset: Any,
        view_sizes: Sequence[Any],
        view_strides: Sequence[Any],
        view_offset: Any,
    ) -> Handles:
        """Call the first half of an in-place write's backward to a view; return three tensors."""
        node = self._build.call(
            copy_slices_prologue,
            (
                grads,
                base_sizes,
                base_strides,
                base_offset,
                view_sizes,
                view_strides,
                view_offset,
            ),
        )
        return self._build.items(node, [True] * 3)

    def call_copy_slices_epilogue(
        self,
        needs_input_grad: Sequence[bool],
        base_grad: torch.Tensor,
        fn_grads: Handles,
        window: torch.Tensor,
    ) -> Handles:
        node = self._build.call(
            copy_slices_epilogue, (needs_input_grad, base_grad, fn_grads, window)
        )
        return self._build.items(node, [True] * len(needs_input_grad))

    def accumulate(self, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        """Two branches of the graph meet: their gradients are added."""
        return self._build.handle_for(self._build.call(torch.add, (left, right)))

    def accumulate_grad(self, variable: torch.Tensor, *args: Any) -> torch.Tensor | None:
        """Add a gradient to the parameter's ``.grad``; return the new one.

        ``args`` are ``(variable_grad, grad, has_post_hooks)``. Until torch 2.12 there was no
        ``variable_grad``, the call reads it off the variable when it runs, and C++ wants no
        answer.
        """
        node = self._build.call(graph_calls.call_accumulate_grad, (variable, *args))
        if len(args) < 3:
            grad = None if variable.grad is None else self._build.to_nodes(variable.grad)
            node.meta[INPUT_OF_GRAD] = None if grad is None else grad.args[1]
            return None
        updated = self._build.handle_for(node)
        # A post-accumulate-grad hook reads it off the parameter.
        variable.grad = updated
        return updated

    # Hooks. Each becomes a call node that is marked with the hook's kind for the passes.

    def tensor_pre_hook(self, grads: list[Any], hook_index: int, position: int) -> list[Any]:
        """`Tensor.register_hook`: may replace one incoming gradient."""
        node = self._call_hook("tensor_pre_hook", hook_index, grads[position])
        grads[position] = self._build.handle_for(node)
        return grads

    def cpp_tensor_pre_hook(self, grads: list[Any], hook_index: int, position: int) -> list[Any]:
        """Call a tensor hook of C++, such as the one behind `retain_grad`."""
        node = self._build.call(
            graph_calls.call_cpp_tensor_pre_hooks, (hook_index, grads[position])
        )
        grads[position] = self._build.handle_for(node)
        return grads

    def pre_hook(self, grads: Handles, hook_index: int) -> Handles:
        """`Node.register_prehook`: may replace all gradients that come into a node."""
        node = self._call_hook("pre_hook", hook_index, grads)
        return self._build.items(node, [grad is not None for grad in grads])

    def post_hook(self, outputs: Handles, inputs: Handles, hook_index: int) -> Handles:
        """`Node.register_hook`: may replace the gradients that a node gave."""
        node = self._call_hook("post_hook", hook_index, outputs, inputs)
        return self._build.items(node, [output is not None for output in outputs])

    def post_acc_grad_hook(self, variable: torch.Tensor, hook_index: int) -> Handles:
        """`Tensor.register_post_accumulate_grad_hook`: runs once ``.grad`` is complete."""
        return [self._build.handle_for(self._call_hook("post_acc_grad_hook", hook_index, variable))]

    def unpack_hook(self, hook_index: int, data_index: int) -> torch.Tensor:
        """`saved_tensors_hooks`: a saved tensor is unpacked from what its pack hook returned."""
        build = self._build
        hook = build.item(build.hooks, hook_index)
        data = build.item(build.packed_data, data_index)
        return build.handle_for(
            build.call_nodes(graph_calls.call_hook, (hook, data), {"hook_type": "unpack_hook"})
        )

    def _call_hook(self, hook_type: str, hook_index: int, *args: Any) -> fx.Node:
        hook = self._build.item(self._build.hooks, hook_index)
        return self._build.call_nodes(
            graph_calls.call_hook,
            (hook, *(self._build.to_nodes(arg) for arg in args)),
            {"hook_type": hook_type},
        )
