from __future__ import annotations

from torch import fx

from ca_engine.compat import compiled_autograd, graph_calls
from ca_engine.passes.placing import is_graph_input, is_item

# What matters for more than its result
_EFFECTS = (
    graph_calls.call_hook,
    graph_calls.call_backward,
    graph_calls.call_accumulate_grad,
    graph_calls.EXEC_FINAL_CALLBACKS,
)


def drop_dead_code(graph: fx.Graph) -> None:
    """Remove what nothing uses: sizes nobody reads, gradients nobody asked for.

    Elements taken from the graph's inputs stay even if unused: Dynamo needs to see every
    input tensor to guard against two of them being one.
    """
    before = len(graph.nodes)
    # From the end, so that what only a removed node used is unused when its turn comes.
    for node in reversed(graph.nodes):
        if not (node.users or _is_needed(node)):
            graph.erase_node(node)
    compiled_autograd.log_verbose("DCE removed %d nodes", before - len(graph.nodes))


def _is_needed(node: fx.Node) -> bool:
    """Return whether a node that nothing uses must stay: an input, or an effect."""
    if is_item(node):
        return is_graph_input(node)
    # What a module does nobody knows, and FX asks the owner of the graph, which has none yet.
    return node.op == "call_module" or node.target in _EFFECTS or node.is_impure()
