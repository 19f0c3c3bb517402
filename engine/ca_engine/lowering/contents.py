"""Examines a captured graph for what decides how it can be lowered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torch import fx

from ca_engine.compat import autograd_nodes, graph_calls
from ca_engine.lowering.refusal import RefusalError
from ca_engine.recorder.objects import describe_hook, place_of


@dataclass(frozen=True)
class Contents:
    """``python`` is the refusal for the first thing in the graph that is Python code.

    Hooks, Functions, and C++ Functions that must not be traced are; AOT's prologues are not.
    ``scalars`` says whether the graph uses numbers, other than sizes, that were lifted to inputs.
    """

    python: RefusalError | None
    scalars: bool


def look_through(graph: fx.Graph, hooks: Sequence[Any]) -> Contents:
    """Look through the graph; ``hooks`` are those that it is called with."""
    python = None
    for node in graph.nodes:
        python = _python_in(node, hooks)
        if python is not None:
            break
    (scalars,) = graph.find_nodes(op="placeholder", target="scalars")
    return Contents(python, any(item.users for item in scalars.users))


def _python_in(node: fx.Node, hooks: Sequence[Any]) -> RefusalError | None:
    if node.op == "call_module":
        return RefusalError("module_call", str(node.target))
    if node.op != "call_function":
        return None
    if node.target is graph_calls.call_hook:
        kind = str(node.kwargs.get("hook_type"))
        ref = describe_hook(kind, None, _object_of(node.args[0], hooks))
        return RefusalError("python_hook", ref["name"], ref["file"], ref["line"])
    if node.target is graph_calls.call_backward:
        context = _object_of(node.args[0], hooks)
        if context is None:
            return RefusalError("python_function")
        function = autograd_nodes.forward_class(context)
        return RefusalError("python_function", function.__qualname__, *place_of(function))
    if node.target is graph_calls.call_cpp_tensor_pre_hooks:
        return RefusalError("cpp_hook")
    if graph_calls.is_untraceable(node.target):
        return RefusalError("cpp_function", getattr(node.target, "__name__", None))
    return None


def _object_of(item: Any, hooks: Sequence[Any]) -> Any:
    """Return the Python object that ``hooks[index]`` in the graph stands for."""
    index = item.args[1] if isinstance(item, fx.Node) and len(item.args) == 2 else None
    return hooks[index] if isinstance(index, int) and 0 <= index < len(hooks) else None
