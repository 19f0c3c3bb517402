"""The autograd graph as a backward found it: what every node saved and who owns it.

C++ names only the node at which its search for a known graph ended. To say what changed
there, the graph is walked from Python before it runs, each node under the number that C++
gives it (`NodeCall`), and compared with earlier captures (`difference.py`). Nothing is
unpacked, so no saved-tensor hook runs; only attributes and shapes are read.
"""

from __future__ import annotations

import math
import threading
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import torch
from torch.autograd.graph import GradientEdge, Node, get_gradient_edge

from ca_engine import schema
from ca_engine.compat import aot_regions, autograd_nodes
from ca_engine.compat.tensors import cpp_identity
from ca_engine.recorder.forward import NodeLines, read_lines
from ca_engine.recorder.modules import LiveModules, ModuleState
from ca_engine.recorder.objects import FunctionClasses, is_accumulate_grad, node_name
from ca_engine.recorder.stack import BackwardCall
from ca_engine.recorder.variables import grad_fn_of, shape_of

# Beyond this many nodes a snapshot is cut, and says so.
MAX_NODES = 10_000
# Longer lists and texts among the attributes are cut: they are for people.
MAX_ITEMS = 32
MAX_TEXT = 200
# Tensors that a Python Function saved; an AOT region may save thousands.
MAX_SAVED = 256

# Nodes that autograd makes anew for a view of what was changed in place, when the view is used:
# they are numbered after the node that uses it.
VIEW_NODES = 8

GRAPH_ROOT = "torch::autograd::GraphRoot"


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
    """Count the edges that lead into each node, the GraphRoot's included."""
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
    """Return the nodes from which a wanted one is reached, themselves included."""
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
    """State that a backward found.

    ``module_state`` is that of the modules that took part; ``carried`` counts the nodes that
    were there before the capture before this one, None at the first. ``lines`` are those of
    the forward, None if they were not asked for.
    """

    nodes: list[schema.AutogradNode]
    module_state: ModuleState
    carried: int | None
    lines: NodeLines | None


class GraphSnapshotter:
    """Describes the graphs of one process, one after the other."""

    def __init__(self) -> None:
        self._modules = LiveModules()
        self._functions = FunctionClasses()
        self._last = _LastCapture()

    def take(self, call: BackwardCall, *, with_lines: bool = False) -> Snapshot:
        nodes = number_nodes(call.roots, call.inputs)
        variables = [
            node.variable  # type: ignore[attr-defined]
            for node in nodes.values()
            if node is not None and is_accumulate_grad(node)
        ]
        self._modules.learn(variables, call.modules)
        for name, tensor in self._modules.tensors(variables):
            node = grad_fn_of(tensor)
            if node is not None:
                call.note_output(node, name)
        described = _Describer(nodes, call, self._modules, self._functions).describe()
        state = {
            **self._modules.state(variables),
            **{(-1, name, "input requires_grad"): flag for name, flag in call.leaves.items()},
        }
        lines = read_lines(nodes) if with_lines else None
        return Snapshot(described, state, self._mark_carried(nodes, described), lines)

    def _mark_carried(
        self, nodes: dict[int, Node | None], described: list[schema.AutogradNode]
    ) -> int | None:
        """Mark and count nodes no younger than the youngest of this thread's last capture.

        Autograd numbers nodes as the forward makes them, per thread (`_sequence_nr`): numbers
        of two threads say nothing of each other. Leaves live as long as their tensors and do
        not count. None if nothing can be said.
        """
        numbers = {
            index: autograd_nodes.sequence_number(node)
            for index, node in nodes.items()
            if node is not None and not is_accumulate_grad(node)
        }
        newest = self._last.newest
        self._last.newest = max(numbers.values(), default=newest)
        if newest is None or _is_of_several_threads(numbers, described):
            return None
        carried = 0
        for node in described:
            if numbers.get(node["index"], newest + 1) <= newest:
                node["carried"] = True
                carried += 1
        return carried


class _LastCapture(threading.local):
    """The highest number of a node in the last capture of a thread; None before the first.

    Not by the thread's ident, which the next thread may have.
    """

    newest: int | None = None


def _is_of_several_threads(
    numbers: dict[int, int], described: Iterable[schema.AutogradNode]
) -> bool:
    """Return whether some node has a lower number than one it was computed from."""
    return any(
        numbers.get(after, -1) > numbers[node["index"]] + VIEW_NODES * len(node["next"])
        for node in described
        if node["index"] in numbers
        for after in node["next"]
    )


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
        """Return the GraphRoot: what the backward was asked for."""
        edges = [_edge(root) for root in self._call.roots]
        tensors = [root for root in self._call.roots if isinstance(root, torch.Tensor)]
        return {
            "index": index,
            "name": GRAPH_ROOT,
            "attributes": {
                "outputs": [node_name(edge.node) for edge in edges][:MAX_ITEMS],
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
        described: schema.AutogradNode = {"index": index, "name": node_name(node)}
        if is_accumulate_grad(node):
            variable: torch.Tensor = node.variable  # type: ignore[attr-defined]
            described["parameter"] = self._modules.name(variable)
            described["grad_defined"] = variable.grad is not None
            described["shape"] = shape_of(variable)
            if not isinstance(variable, torch.nn.Parameter):
                described["variables"] = [self._call.names.get(id(variable))]
            return described
        scalars, tensors = autograd_nodes.saved_names(type(node))
        attributes = {name: _json_value(autograd_nodes.saved_value(node, name)) for name in scalars}
        metadata = autograd_nodes.gradient_metadata(node)
        if metadata:
            attributes["grad_shapes"] = [shape_of(entry) for entry in metadata]
        after = _next_nodes(node)
        attributes["edges"] = len(after)
        described["attributes"] = attributes
        variables = self._call.outputs.get(node)
        if variables:
            described["variables"] = [*variables[:MAX_ITEMS]]
        described["next"] = self._indices_of(after)
        if tensors:
            described["tensors"] = {
                name: self._tensor(autograd_nodes.saved_variable(node, name)) for name in tensors
            }
        function = autograd_nodes.forward_class(node)
        if isinstance(function, type):
            self._add_function(described, node, function)
        return described

    def _add_function(self, described: schema.AutogradNode, node: Any, function: type) -> None:
        """Add what only the node of a Python Function has; an AOT region is one."""
        saved = autograd_nodes.function_saved_variables(node)
        if saved:
            described["tensors"] = {
                f"saved[{number}]": self._tensor(entry)
                for number, entry in enumerate(saved[:MAX_SAVED])
            }
        if not aot_regions.is_region(function):
            described["function"] = self._functions.describe(function)
            return
        described["aot_id"] = aot_regions.number(function)
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
        alias = self._aliases.setdefault(cpp_identity(data), len(self._aliases))
        told: schema.SavedTensor = {
            "shape": shape_of(data), "dtype": str(data.dtype), "alias": alias
        }  # fmt: skip
        if data.layout is not torch.strided:
            told["layout"] = str(data.layout).removeprefix("torch.")
        return told


def _json_value(value: Any) -> object:
    """Return ``value`` as JSON can hold it: long sequences and texts cut, odd types as text."""
    if value is None or isinstance(value, (bool, int, str)):
        return value[:MAX_TEXT] if isinstance(value, str) else value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (list, tuple)):
        return [_json_value(item) for item in value[:MAX_ITEMS]]
    return str(value)[:MAX_TEXT]
