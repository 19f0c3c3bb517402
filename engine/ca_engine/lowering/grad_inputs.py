"""Makes the ``.grad`` that a gradient is added to an argument, as torch does from 2.13 on.

Until torch 2.12 the calls in a captured graph read it off the parameter when they run. C++ has
it among the inputs of the graph all the same, for it is part of the key: the very tensor that the
parameter's ``.grad`` is when the backward starts. Only Python code in the graph could set another
one, and a graph with such code runs as it was captured.
"""

from __future__ import annotations

import operator

from torch import fx

from ca_engine.compat import dynamo, graph_calls

# In the metadata of a call that reads it off: its position in the inputs of the graph, or None.
INPUT_OF_GRAD = "ca_input_of_grad"


def with_grads(module: fx.GraphModule) -> fx.GraphModule:
    """Return ``module`` with calls as torch 2.13 captures them; itself if that is what they are."""
    calls = module.graph.find_nodes(op="call_function", target=graph_calls.call_accumulate_grad)
    if not any(INPUT_OF_GRAD in call.meta for call in calls):
        return module
    graph = fx.Graph()
    values: dict[fx.Node, fx.Node] = {}
    items: dict[int, fx.Node] = {}
    # By parameter: what was added last
    updated: dict[fx.Node, fx.Node] = {}
    (inputs,) = module.graph.find_nodes(op="placeholder", target="inputs")
    for node in module.graph.nodes:
        copy = values[node] = graph.node_copy(node, values.__getitem__)
        if node.target is operator.getitem and node.args[0] is inputs:
            items[node.args[1]] = copy
        elif INPUT_OF_GRAD in node.meta:
            variable, new, has_hooks = copy.args
            assert isinstance(variable, fx.Node)
            position = node.meta[INPUT_OF_GRAD]
            grad = updated.get(variable, None if position is None else items[position])
            copy.args = (variable, grad, new, has_hooks)
            updated[variable] = copy
    changed = fx.GraphModule(module, graph, type(module).__name__)
    dynamo.let_compiler_free_inputs(changed)
    return changed
