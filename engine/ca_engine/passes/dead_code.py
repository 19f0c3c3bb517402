from __future__ import annotations

from torch import fx

from ca_engine import compat

# What matters for more than its result
_EFFECTS = (
    compat.call_hook,
    compat.call_backward,
    compat.call_accumulate_grad,
    compat.EXEC_FINAL_CALLBACKS,
)


def drop_dead_code(graph: fx.Graph) -> None:
    """Removes what nothing uses: sizes nobody reads, gradients nobody asked for.

    Elements taken from the graph's inputs stay even if unused: Dynamo needs to see every
    input tensor to guard against two of them being one.
    """
    unpacked = {user for node in graph.find_nodes(op="placeholder") for user in node.users}
    before = len(graph.nodes)
    graph.eliminate_dead_code(
        lambda node: node in unpacked or node.target in _EFFECTS or node.is_impure()
    )
    compat.log_verbose("DCE removed %d nodes", before - len(graph.nodes))
