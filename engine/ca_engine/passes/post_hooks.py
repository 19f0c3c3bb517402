from __future__ import annotations

from torch import fx

from ca_engine.compat import graph_calls
from ca_engine.passes.placing import (
    can_follow,
    hook_calls,
    is_hook,
    last_of,
    node_arg,
    nodes_in,
    place_after,
)


def post_hooks_after_their_node(graph: fx.Graph) -> None:
    """Run post-hooks of nodes without outputs right behind their node, as eager does.

    A node with outputs keeps its hooks in place through them. One without (AccumulateGrad)
    is found as the last user of what the hook sees as the node's inputs; its
    post-accumulate-grad hooks come first.
    """
    for call in reversed(hook_calls(graph, "post_hook")):
        hook, outputs, inputs = node_arg(call, 0), call.args[1], nodes_in(call.args[2])
        if outputs:
            continue
        users = (user for node in inputs for user in node.users)
        anchor = last_of(
            [*inputs, *(user for user in users if user.target is not graph_calls.call_hook)]
        )
        if anchor is None:
            continue
        if anchor.target is graph_calls.call_accumulate_grad:
            after = _last_post_acc_grad_hook(node_arg(anchor, 0))
            if after is not None:
                place_after(after, hook, call)
                continue
        if can_follow(anchor, call):
            place_after(anchor, hook, call)


def _last_post_acc_grad_hook(variable: fx.Node) -> fx.Node | None:
    return last_of(user for user in variable.users if is_hook(user, "post_acc_grad_hook"))
