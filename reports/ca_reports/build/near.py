"""The place in the model that lies nearest to an autograd node."""

from __future__ import annotations

from typing import Any

from ca_reports.read.fields import integer, text

_AOT_REGION = "CompiledFunctionBackward"


def nearest_place(nodes: list[dict[str, Any]], index: int) -> str | None:
    """The parameter that node ``index`` accumulates into, else the nearest one's module.

    ``nodes`` are ``schema.AutogradNode`` in the order in which the backward visits them,
    so near in ``index`` is near in the backward. Of two equally near the later visited one
    is taken: a node's own parameters follow it. None if no parameter has a name, and for
    an AOT region: its parameters follow it in the order of its inputs, so that none of
    them is nearer to the cause than another.
    """
    if any(
        node.get("index") == index and str(node.get("name")).startswith(_AOT_REGION)
        for node in nodes
    ):
        return None
    best: tuple[int, int, str] | None = None
    for node in nodes:
        name, at = text(node.get("parameter")), integer(node.get("index"))
        if not name or at is None:
            continue
        if at == index:
            return name
        rank = (abs(at - index), -at, name)
        if best is None or rank < best:
            best = rank
    if best is None:
        return None
    module, dot, _ = best[2].rpartition(".")
    return module if dot else best[2]
