from __future__ import annotations

from torch import fx

from ca_engine.compat import graph_calls
from ca_engine.passes.placing import can_follow, is_item, last_of, node_arg, nodes_in, place_after


def accumulate_grads_early(graph: fx.Graph) -> None:
    """Accumulates into ``.grad`` as soon as the gradient is there, as eager does."""
    for call in graph.find_nodes(op="call_function", target=graph_calls.call_accumulate_grad):
        # (variable, its .grad unless torch is older than 2.13, grad, has_post_hooks)
        *variables, grad, _ = call.args
        item = None
        if isinstance(grad, fx.Node) and is_item(grad):
            item, grad = grad, node_arg(grad, 0)
        anchor = last_of(nodes_in((*variables, grad)))
        if anchor is not None and can_follow(anchor, call):
            place_after(anchor, *((item, call) if item is not None else (call,)))
