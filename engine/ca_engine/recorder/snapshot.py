"""The autograd graph as a backward found it: what every node saved and who owns it.

C++ names only the node at which its search for a known graph ended. To say what changed
there, the graph is walked from Python before it runs, each node under the number that C++
gives it (`NodeCall`), and compared with earlier captures (`difference.py`). Nothing is
unpacked, so no saved-tensor hook runs; only attributes and shapes are read.
"""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import torch
from torch.autograd.graph import GradientEdge, Node, get_gradient_edge

from ca_engine import schema
from ca_engine.recorder.forward import ForwardLines, read_lines
from ca_engine.recorder.modules import LiveModules, Switches
from ca_engine.recorder.objects import FunctionClasses
from ca_engine.recorder.stack import BackwardCall

# Beyond this many nodes a snapshot is cut, and says so.
MAX_NODES = 10_000
# Longer lists and texts among the attributes are cut: they are for people.
MAX_ITEMS = 32
MAX_TEXT = 200
# Tensors that a Python Function saved; an AOT region may save thousands.
MAX_SAVED = 256

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


class Snapshot(NamedTuple):
    """What a backward found.

    ``switches`` are those of the modules that took part; ``carried`` counts the nodes that
    were there before the capture before this one, None at the first. ``lines`` are those of
    the forward, None if they were not asked for.
    """

    nodes: list[schema.AutogradNode]
    switches: Switches
    carried: int | None
    lines: ForwardLines | None


class Snapshooter:
    """Describes the graphs of one process, one after the other."""

    def __init__(self) -> None:
        self._modules = LiveModules()
        self._functions = FunctionClasses()
        self._newest: int | None = None

    def take(self, call: BackwardCall, *, with_lines: bool = False) -> Snapshot:
        nodes = number_nodes(call.roots, call.inputs)
        variables = [
            node.variable  # type: ignore[attr-defined]
            for node in nodes.values()
            if node is not None and _is_accumulate_grad(node)
        ]
        self._modules.learn(variables)
        described = _Describer(nodes, call, self._modules, self._functions).describe()
        switches = {
            **self._modules.switches(variables),
            **{(-1, name, "input requires_grad"): flag for name, flag in call.leaves.items()},
        }
        lines = read_lines(nodes) if with_lines else None
        return Snapshot(described, switches, self._mark_carried(nodes, described), lines)

    def _mark_carried(
        self, nodes: dict[int, Node | None], described: list[schema.AutogradNode]
    ) -> int | None:
        """Marks and counts nodes no younger than the youngest of the last capture.

        Autograd numbers nodes as the forward makes them, per thread (`_sequence_nr`). Leaves
        live as long as their tensors and do not count.
        """
        numbers = {
            index: node._sequence_nr()
            for index, node in nodes.items()
            if node is not None and not _is_accumulate_grad(node)
        }
        newest, self._newest = self._newest, max(numbers.values(), default=self._newest)
        if newest is None:
            return None
        carried = 0
        for node in described:
            if numbers.get(node["index"], newest + 1) <= newest:
                node["carried"] = True
                carried += 1
        return carried


class _Describer:
    """Describes the nodes of one graph."""

    def __init__(
        self,
        nodes: dict[int, Node | None],
        call: BackwardCall,
        modules: LiveModules,
        functions: FunctionClasses,
    ) -> None:
        self._nodes = nodes
        self._call = call
        self._modules = modules
        self._functions = functions
        self._indices = {node: index for index, node in nodes.items() if node is not None}
        self._aliases: dict[int, int] = {}

    def describe(self) -> list[schema.AutogradNode]:
        return [self._node(index, node) for index, node in sorted(self._nodes.items())]

    def _root(self, index: int) -> schema.AutogradNode:
        """The GraphRoot: what the backward was asked for."""
        edges = [_edge(root) for root in self._call.roots]
        tensors = [root for root in self._call.roots if isinstance(root, torch.Tensor)]
        return {
            "index": index,
            "name": GRAPH_ROOT,
            "attributes": {
                "outputs": [edge.node.name() for edge in edges][:MAX_ITEMS],
                "output_dtypes": [str(tensor.dtype) for tensor in tensors][:MAX_ITEMS],
                "inputs_asked_for": len(self._call.inputs),
            },
            "variables": [self._call.names.get(id(tensor)) for tensor in tensors][:MAX_ITEMS],
            "next": self._indices_of([edge.node for edge in edges]),
        }

    def _indices_of(self, nodes: Iterable[Node]) -> list[int]:
        return [self._indices.get(node, -1) for node in nodes]

    def _node(self, index: int, node: Node | None) -> schema.AutogradNode:
        if node is None:
            return self._root(index)
        described: schema.AutogradNode = {"index": index, "name": node.name()}
        if _is_accumulate_grad(node):
            variable: torch.Tensor = node.variable  # type: ignore[attr-defined]
            described["parameter"] = self._modules.name(variable)
            described["grad_defined"] = variable.grad is not None
            described["shape"] = [int(size) for size in variable.shape]
            if not isinstance(variable, torch.nn.Parameter):
                described["variables"] = [self._call.names.get(id(variable))]
            return described
        scalars, tensors = _saved_names(type(node))
        attributes = {name: _plain(node, f"_saved_{name}") for name in scalars}
        metadata = getattr(node, "_input_metadata", ())
        if metadata:
            attributes["grad_shapes"] = [_shape(entry.shape) for entry in metadata]
        after = _next_nodes(node)
        attributes["edges"] = len(after)
        described["attributes"] = attributes
        variable_name = self._call.outputs.get(node)
        if variable_name is not None:
            described["variables"] = [variable_name]
        described["next"] = self._indices_of(after)
        if tensors:
            described["tensors"] = {
                name: self._tensor(getattr(node, f"_raw_saved_{name}", None)) for name in tensors
            }
        function = getattr(node, "_forward_cls", None)
        if isinstance(function, type):
            self._add_function(described, node, function)
        return described

    def _add_function(self, described: schema.AutogradNode, node: Any, function: type) -> None:
        """What only the node of a Python Function has, which an AOT region is as well."""
        try:
            saved = node._raw_saved_tensors
        except RuntimeError:  # freed by an earlier backward
            saved = ()
        if saved:
            described["tensors"] = {
                f"saved[{number}]": self._tensor(entry)
                for number, entry in enumerate(saved[:MAX_SAVED])
            }
        aot_id = getattr(function, "_aot_id", None)
        if aot_id is None:
            described["function"] = self._functions.describe(function)
            return
        described["aot_id"] = aot_id
        lines = self._functions.region_lines(function)
        if lines:
            described["forward_lines"] = lines
        # Sizes that the region's backward needs beside its tensors: dynamic ones only.
        symints = [int(size) for size in getattr(node, "symints", ())[:MAX_ITEMS]]
        if symints:
            described["attributes"]["symints"] = symints

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
