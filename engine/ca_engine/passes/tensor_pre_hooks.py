from __future__ import annotations

from torch import fx

from ca_engine.passes.placing import can_follow, hook_calls, node_arg, place_after


def tensor_pre_hooks_early(graph: fx.Graph) -> None:
    """Run a tensor's hook as soon as the gradient that it sees is there, as eager does."""
    for call in hook_calls(graph, "tensor_pre_hook"):
        hook, grad = node_arg(call, 0), call.args[1]
        # A hook can also see that there is no gradient: None follows nothing.
        if isinstance(grad, fx.Node) and can_follow(grad, call):
            place_after(grad, hook, call)
