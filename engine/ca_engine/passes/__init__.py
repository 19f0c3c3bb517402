"""Passes over a captured graph, in the one order in which they work.

C++ drives the nodes in the eager engine's order, but an AOT backward that is spliced in
whole pushes hooks and gradient accumulation behind it. The passes move them back to where
eager would have run them, so that user code in hooks sees the same state, and gradients
are released as early. Each pass works in place.
"""

from __future__ import annotations

from collections.abc import Callable

from ca_engine.passes.accumulate_grad import accumulate_grads_early
from ca_engine.passes.cudagraph_scalars import move_scalars_to_gpu
from ca_engine.passes.dead_code import drop_dead_code
from ca_engine.passes.inputs import BackwardGraph
from ca_engine.passes.post_acc_grad_hooks import post_acc_grad_hooks_after_accumulation
from ca_engine.passes.post_hooks import post_hooks_after_their_node
from ca_engine.passes.pre_hooks import pre_hooks_before_their_node, pre_hooks_early
from ca_engine.passes.tensor_pre_hooks import tensor_pre_hooks_early
from ca_engine.passes.unpack_hooks import unpack_hooks_late
from ca_engine.passes.unused_sizes import drop_unused_sizes

PASSES: tuple[Callable[[BackwardGraph], None], ...] = (
    move_scalars_to_gpu,
    unpack_hooks_late,
    tensor_pre_hooks_early,
    # Hooks before an accumulation move up with what they wait for, so that the accumulation
    # can; only then do pre-hooks go down again to the node they belong to.
    pre_hooks_early,
    accumulate_grads_early,
    pre_hooks_before_their_node,
    post_acc_grad_hooks_after_accumulation,
    post_hooks_after_their_node,
    drop_dead_code,
    drop_unused_sizes,
)


def run_passes(graph: BackwardGraph) -> None:
    for run in PASSES:
        run(graph)
