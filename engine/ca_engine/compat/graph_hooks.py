"""Reads which modules' hooks Dynamo took for part of a graph, and lets its calls be observed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from torch._dynamo import config
from torch.utils.hooks import RemovableHandle

from ca_engine.compat.graph_inputs import (
    Compiled,
    Undo,
    called,
    own_compile_id,
    replace_graphs,
    source_name,
)

# The tables of an `nn.Module` whose functions its call runs, by what they are for.
TABLES = {
    "_forward_hooks": "forward",
    "_forward_pre_hooks": "forward_pre",
    "_backward_hooks": "backward",
    "_backward_pre_hooks": "backward_pre",
}
_MARK = "._forward_hooks"


class HookedGraph(NamedTuple):
    """The modules whose calls are part of a graph, by the names that guards have for them.

    ``variables`` and ``module`` are the locals and globals of the frame, which the names begin in.
    """

    compile_id: str
    names: tuple[str, ...]
    variables: Mapping[str, Any]
    module: Mapping[str, Any]


def registrations() -> int:
    """Count the hooks that were registered so far in the process, of tensors and of modules."""
    number: int = RemovableHandle.next_id
    return number


def observe_hooked(observed: Callable[[HookedGraph, Compiled], Compiled]) -> Undo:
    """Have each graph with modules in it observed, which ``observed`` replaces by what it makes.

    Left alone are captured backwards, graphs that torch keeps for later processes, and all where
    Dynamo guards on hooks itself. Returns the way back, for graphs that are compiled after it.
    """

    def replaced(graph: Any, made: Any) -> Any:
        try:
            found = _hooked(graph)
            function = None if found is None else called(made)
            return made if found is None or function is None else observed(found, function)
        except Exception:
            return made  # what is recorded about a graph must not take the user's compile with it

    return replace_graphs(replaced)


def _hooked(graph: Any) -> HookedGraph | None:
    compile_id = own_compile_id(graph)
    if compile_id is None or not getattr(config, "skip_nnmodule_hook_guards", False):
        return None
    sources = map(source_name, graph.guards)
    names = {one.removesuffix(_MARK) for one in sources if one.endswith(_MARK)}
    if not names:
        return None
    return HookedGraph(compile_id, tuple(sorted(names)), graph.local_scope, graph.global_scope)
