"""The autograd graph as a backward found it: what every node saved and who owns it.

C++ names only the node at which its search for a known graph ended. To say what changed
there, the graph is walked from Python before it runs, each node under the number that C++
gives it (`NodeCall`), and compared with earlier captures (`difference.py`). Nothing is
unpacked, so no saved-tensor hook runs; only attributes and shapes are read.
"""

from __future__ import annotations

import functools
import gc
import math
import weakref
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch.autograd.graph import GradientEdge, Node, get_gradient_edge

from ca_engine import schema

# Beyond this many nodes a snapshot is cut, and says so.
MAX_NODES = 10_000
# Longer lists and texts among the attributes are cut: they are for people.
MAX_ITEMS = 32
MAX_TEXT = 200

GRAPH_ROOT = "torch::autograd::GraphRoot"
ACCUMULATE_GRAD = "torch::autograd::AccumulateGrad"


def number_nodes(roots: Iterable[Any], inputs: Iterable[Any]) -> dict[int, Node | None]:
    """NodeCall index → autograd node, in C++'s numbering; None stands for the GraphRoot.

    C++ numbers nodes as it visits them, depth first, each once all of its users have been
    (measured on torch 2.13.0). With ``inputs`` only nodes that lead to one are visited.
    """
    wanted = [_edge(tensor).node for tensor in inputs]
    root_edges = [_edge(tensor).node for tensor in roots]
    users = _count_users(root_edges)
    reached = _leading_to(root_edges, wanted) if wanted else None

    visited: list[Node | None] = []
    pending: list[Node | None] = [None]
    while pending and len(visited) < MAX_NODES:
        node = pending.pop()
        visited.append(node)
        for after in root_edges if node is None else _next_nodes(node):
            users[after] -= 1
            if not users[after] and (reached is None or after in reached):
                pending.append(after)
    return dict(enumerate(visited))


def _edge(tensor: Any) -> GradientEdge:
    return tensor if isinstance(tensor, GradientEdge) else get_gradient_edge(tensor)


def _next_nodes(node: Node) -> list[Node]:
    return [after for after, _ in node.next_functions if after is not None]


def _count_users(roots: Sequence[Node]) -> defaultdict[Node, int]:
    """How many edges lead into each node, the GraphRoot's included."""
    users: defaultdict[Node, int] = defaultdict(int)
    for node in roots:
        users[node] += 1
    pending = list(dict.fromkeys(roots))
    seen = set(pending)
    while pending:
        for after in _next_nodes(pending.pop()):
            users[after] += 1
            if after not in seen:
                seen.add(after)
                pending.append(after)
    return users


def _leading_to(roots: Sequence[Node], wanted: Sequence[Node]) -> set[Node]:
    """The nodes from which a wanted one is reached, themselves included."""
    before: defaultdict[Node, list[Node]] = defaultdict(list)
    pending = list(dict.fromkeys(roots))
    seen = set(pending)
    while pending:
        node = pending.pop()
        for after in _next_nodes(node):
            before[after].append(node)
            if after not in seen:
                seen.add(after)
                pending.append(after)
    leading = set(wanted)
    pending = list(leading)
    while pending:
        for node in before[pending.pop()]:
            if node not in leading:
                leading.add(node)
                pending.append(node)
    return leading


class Snapshooter:
    """Describes the nodes of one graph."""

    def __init__(self, names: ParameterNames) -> None:
        self._names = names
        self._aliases: dict[int, int] = {}

    def describe(self, nodes: dict[int, Node | None]) -> list[schema.AutogradNode]:
        variables = [
            node.variable  # type: ignore[attr-defined]
            for node in nodes.values()
            if node is not None and _is_accumulate_grad(node)
        ]
        self._names.learn(variables)
        return [self._node(index, node) for index, node in sorted(nodes.items())]

    def _node(self, index: int, node: Node | None) -> schema.AutogradNode:
        if node is None:
            return {"index": index, "name": GRAPH_ROOT}
        described: schema.AutogradNode = {"index": index, "name": node.name()}
        if _is_accumulate_grad(node):
            variable: torch.Tensor = node.variable  # type: ignore[attr-defined]
            described["parameter"] = self._names.get(variable)
            described["grad_defined"] = variable.grad is not None
            described["shape"] = [int(size) for size in variable.shape]
            return described
        scalars, tensors = _saved_names(type(node))
        attributes = {name: _plain(node, f"_saved_{name}") for name in scalars}
        metadata = getattr(node, "_input_metadata", ())
        if metadata:
            attributes["grad_shapes"] = [_shape(entry.shape) for entry in metadata]
        attributes["edges"] = len(_next_nodes(node))
        described["attributes"] = attributes
        if tensors:
            described["tensors"] = {
                name: self._tensor(getattr(node, f"_raw_saved_{name}", None)) for name in tensors
            }
        aot_id = getattr(getattr(node, "_forward_cls", None), "_aot_id", None)
        if aot_id is not None:
            described["aot_id"] = aot_id
        return described

    def _tensor(self, saved: Any) -> schema.SavedTensor | None:
        data = getattr(saved, "data", None)
        if not isinstance(data, torch.Tensor):
            return None
        alias = self._aliases.setdefault(data._cdata, len(self._aliases))
        return {"shape": _shape(data.shape), "dtype": str(data.dtype), "alias": alias}


def _is_accumulate_grad(node: Node) -> bool:
    return node.name() == ACCUMULATE_GRAD


@functools.cache
def _saved_names(node_type: type) -> tuple[list[str], list[str]]:
    """Names of the non-tensor and of the tensor attributes that nodes of a type save."""
    if issubclass(node_type, torch.autograd.function.BackwardCFunction):
        return [], []
    names = dir(node_type)
    tensors = [name[len("_raw_saved_") :] for name in names if name.startswith("_raw_saved_")]
    saved = [name[len("_saved_") :] for name in names if name.startswith("_saved_")]
    return [name for name in saved if name not in tensors], tensors


def _plain(node: Node, attribute: str) -> object:
    try:
        return _json_value(getattr(node, attribute))
    except RuntimeError:  # freed by an earlier backward
        return None


def _json_value(value: Any) -> object:
    """``value`` as JSON can hold it: long sequences and texts cut, odd types as text."""
    if value is None or isinstance(value, (bool, int, str)):
        return value[:MAX_TEXT] if isinstance(value, str) else value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (list, tuple)):
        return [_json_value(item) for item in value[:MAX_ITEMS]]
    return str(value)[:MAX_TEXT]


def _shape(shape: Iterable[Any]) -> list[int]:
    return [int(size) for size in shape]


class ParameterNames:
    """Qualified names of parameters, from the `nn.Module`s alive in the process."""

    def __init__(self) -> None:
        self._names: dict[int, tuple[weakref.ref[torch.Tensor], str]] = {}
        self._nameless: set[int] = set()

    def get(self, parameter: torch.Tensor) -> str | None:
        known = self._names.get(id(parameter))
        if known is None or known[0]() is not parameter:
            return None
        return known[1]

    def learn(self, parameters: Sequence[torch.Tensor]) -> None:
        """Looks for the modules that own ``parameters``, once for each parameter."""
        unknown = [
            parameter
            for parameter in parameters
            if isinstance(parameter, torch.nn.Parameter)
            and self.get(parameter) is None
            and id(parameter) not in self._nameless
        ]
        if not unknown:
            return
        for root in _root_modules():
            for name, parameter in root.named_parameters():
                self._names.setdefault(id(parameter), (weakref.ref(parameter), name))
        self._nameless |= {id(tensor) for tensor in unknown if self.get(tensor) is None}


def _root_modules() -> list[torch.nn.Module]:
    modules = [thing for thing in gc.get_objects() if issubclass(type(thing), torch.nn.Module)]
    owned = {
        id(child)
        for module in modules
        for child in module.__dict__.get("_modules", {}).values()
        if child is not None
    }
    roots = [module for module in modules if id(module) not in owned]
    # Wrappers such as `torch.compile`'s own a user's module under a name of theirs.
    return [getattr(root, "_orig_mod", root) for root in roots]
