from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from torch import fx

from ca_engine.compat import graph_calls
from ca_engine.passes.placing import is_item


class InputKind(NamedTuple):
    """What the pass has to know of an input tensor."""

    device: str
    ndim: int


def scalars_to_move(graph: fx.Graph, kinds: Sequence[InputKind]) -> list[int]:
    """Positions of CPU scalars that may be moved to the GPU, so that CUDA graphs apply.

    Eager autograd keeps a Python number as a 0-dim CPU tensor. Lifted to an input, one of
    them would keep the whole graph from CUDA graphs. Operators accept a 0-dim GPU tensor in
    its place; user code (hooks, custom Functions) might not, so what it can see stays.
    """
    if all(kind.device != "cuda" for kind in kinds):
        return []
    (inputs,) = graph.find_nodes(op="placeholder", target="inputs")
    return [
        item.args[1]
        for item in inputs.users
        if is_item(item)
        and isinstance(item.args[1], int)
        and kinds[item.args[1]] == InputKind("cpu", 0)
        and all(graph_calls.is_operator(user.target) for user in item.users)
    ]
