from __future__ import annotations

from torch import fx

from ca_engine.compat import graph_calls
from ca_engine.passes.placing import hook_calls, node_arg, place_after


def post_acc_grad_hooks_after_accumulation(graph: fx.Graph) -> None:
    """Run a post-accumulate-grad hook right behind the accumulation into its parameter."""
    # From the last one on, so that several hooks of one parameter keep their order.
    for call in reversed(hook_calls(graph, "post_acc_grad_hook")):
        hook, variable = node_arg(call, 0), node_arg(call, 1)
        accumulation = next(
            user for user in variable.users if user.target is graph_calls.call_accumulate_grad
        )
        place_after(accumulation, hook, call)
