"""Hooks that see all gradients coming into a node (`Node.register_prehook`)."""

from __future__ import annotations

from torch import fx

from ca_engine.passes.placing import (
    can_follow,
    hook_calls,
    is_item,
    last_of,
    node_arg,
    nodes_in,
    place_after,
    place_before,
)


def pre_hooks_early(graph: fx.Graph) -> None:
    """Run pre-hooks as soon as the last of their gradients is there.

    Not yet eager's order, but an accumulation that waits for a pre-hook can now move up.
    """
    for call in hook_calls(graph, "pre_hook"):
        grads = nodes_in(call.args[1])
        items = [grad for grad in grads if is_item(grad)]
        producers = [node_arg(grad, 0) if is_item(grad) else grad for grad in grads]
        anchor = last_of(producers)
        if anchor is not None and can_follow(anchor, call):
            place_after(anchor, node_arg(call, 0), *reversed(items), call)


def pre_hooks_before_their_node(graph: fx.Graph) -> None:
    """Run pre-hooks right before the node on which they are registered, as eager does."""
    # From the last one on, so that several hooks of one node keep their order.
    for call in reversed(hook_calls(graph, "pre_hook")):
        items = list(call.users)
        if not items:
            continue
        assert all(is_item(item) for item in items), "a pre-hook's results are taken by index"
        registered_on = next(iter(items[0].users), None)
        if registered_on is not None and registered_on is not call.next:
            place_before(registered_on, node_arg(call, 0), call, *items)
