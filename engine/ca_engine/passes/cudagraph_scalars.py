from __future__ import annotations

from ca_engine.compat import dynamo, graph_calls
from ca_engine.passes.inputs import BackwardGraph, InputKind
from ca_engine.passes.placing import is_item


def move_scalars_to_gpu(graph: BackwardGraph) -> None:
    """Find the CPU scalars that may be moved to the GPU, so that CUDA graphs apply.

    Eager autograd keeps a Python number as a 0-dim CPU tensor. Lifted to an input, one of
    them would keep the whole graph from CUDA graphs. Operators accept a 0-dim GPU tensor in
    its place; user code (hooks, custom Functions) might not, so what it can see stays.
    """
    kinds = graph.inputs.tensors
    if all(kind.device != "cuda" for kind in kinds) or not dynamo.cudagraphs_enabled():
        return
    (inputs,) = graph.find_nodes(op="placeholder", target="inputs")
    graph.inputs.moved = [
        item.args[1]
        for item in inputs.users
        if is_item(item)
        and isinstance(item.args[1], int)
        and kinds[item.args[1]] == InputKind("cpu", 0)
        and all(graph_calls.is_operator(user.target) for user in item.users)
    ]
