from __future__ import annotations

from torch import fx

from ca_engine.passes.placing import hook_calls, place_before


def unpack_hooks_late(graph: fx.Graph) -> None:
    """Unpacks a saved tensor right before its first use.

    C++ unpacks all that a node saved before the node's hooks run. Later is better: a tensor
    that was offloaded or is recomputed occupies memory for a shorter time.
    """
    for unpack in hook_calls(graph, "unpack_hook"):
        if unpack.users:
            place_before(min(unpack.users), unpack)
