from __future__ import annotations

from ca_engine.passes.inputs import BackwardGraph
from ca_engine.passes.placing import is_item


def drop_unused_sizes(graph: BackwardGraph) -> None:
    """Remove sizes that the graph does not use and number the rest from 0.

    Each lifted size would be an input that Dynamo guards on.
    """
    (sizes,) = graph.find_nodes(op="placeholder", target="sizes")
    kept: list[int] = []
    for item in list(sizes.users):
        assert is_item(item), "sizes are only ever taken by index"
        if not item.users:
            graph.erase_node(item)
            continue
        position = item.args[1]
        assert isinstance(position, int)
        item.update_arg(1, len(kept))
        kept.append(position)
    graph.inputs.sizes = kept
