"""The FX graph under construction, and the handles that stand for its values.

While C++ drives a capture nothing is computed, so a "tensor" in that conversation need
only have an identity. A handle is an empty tensor made for one value of the graph; the
builder knows which FX node each handle stands for. Torch's own engine gets the same graph
by running every node on FakeTensors under a ProxyTensor tracer, which is where nearly all
of its capture time goes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import fx

from ca_engine.capture.code import CapturedGraph
from ca_engine.capture.lifted import LiftedNumber
from ca_engine.compat import fx_graphs, tensors

# The inputs of every captured graph, in the order in which C++ passes them at run time.
PLACEHOLDERS = ("inputs", "sizes", "scalars", "hooks", "packed_data")

# Most of what C++ hands over beside tensors; there is nothing to replace in them.
_COMMON_CONSTANTS = frozenset(
    {type(None), bool, int, float, str, torch.device, torch.dtype, torch.layout}
)

_EMPTY = torch.empty(0, device="cpu")


def new_handle() -> torch.Tensor:
    """Return a tensor with an identity and nothing else.

    Past the dispatch modes that may be active around the user's backward: a FLOP counter, say,
    must not see handles being made.
    """
    return tensors.same_without_dispatch(_EMPTY)


class GraphBuilder:
    """Builds one captured graph.

    Nodes are created with the origin that was set last (`set_origin`), the autograd node
    being driven; readable graph code shows it in a comment over the node's lines.
    """

    def __init__(self) -> None:
        self.graph = CapturedGraph()
        self.root = torch.nn.Module()
        self._origin: str | None = None
        self._names: dict[Callable[..., Any], str] = {}
        self._node_of_handle: dict[int, fx.Node] = {}
        # Handles are found by id(), so none may die while the capture lasts.
        self._alive: list[torch.Tensor] = []
        self.inputs, self.sizes, self.scalars, self.hooks, self.packed_data = (
            self.graph.placeholder(name) for name in PLACEHOLDERS
        )

    def set_origin(self, label: str, file: str, line: int) -> None:
        """Names where following nodes come from, in the form of a stack trace that FX prints."""
        self._origin = f'  File "{file}", line {line}, in set_node_origin\n    {label}\n'

    def call(
        self,
        target: Callable[..., Any],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> fx.Node:
        """Add a call; handles and lifted numbers anywhere in ``args`` become FX nodes."""
        if kwargs:
            kwargs = {name: self.to_nodes(value) for name, value in kwargs.items()}
        return self.call_nodes(target, self.to_nodes(args), kwargs)

    def call_nodes(
        self,
        target: Callable[..., Any],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> fx.Node:
        """Add a call whose arguments are FX nodes and constants already."""
        name = self._names.get(target)
        if name is None:
            name = self._names[target] = fx_graphs.name_of_target(self.graph, target)
        # FX looks through the arguments of a new node, leaf by leaf, for symbolic numbers.
        # There are none left, and set afterwards the arguments are not looked through.
        node = self.graph.create_node("call_function", target, name=name)
        fx_graphs.set_arguments(node, args, kwargs or {})
        if self._origin is not None:
            node.meta["stack_trace"] = self._origin
        return node

    def copy(
        self, node: fx.Node, target: Any, name: str, copy_of: Mapping[fx.Node, Any]
    ) -> fx.Node:
        """Add a copy of another graph's node, metadata included, that has another target."""
        copy = self.graph.create_node(node.op, target, name=name, type_expr=node.type)
        args, kwargs = fx.map_arg((node.args, node.kwargs), copy_of.__getitem__)
        fx_graphs.set_arguments(copy, args, kwargs)  # as in `call_nodes`
        copy.meta = dict(node.meta)
        return copy

    def item(self, of: fx.Node, index: int) -> fx.Node:
        return self.call_nodes(operator.getitem, (of, index))

    def bind(self, handle: torch.Tensor, node: fx.Node) -> None:
        """From now on ``handle`` stands for ``node``; an earlier meaning is replaced."""
        self._node_of_handle[id(handle)] = node
        self._alive.append(handle)

    def handle_for(self, node: fx.Node) -> torch.Tensor:
        handle = new_handle()
        self.bind(handle, node)
        return handle

    def to_nodes(self, value: Any) -> Any:
        """Return ``value`` with handles and lifted numbers replaced, in lists and tuples too.

        Anything else is a constant of the graph: None, bool, int, float, str, dtype, device, …
        Raises RuntimeError for a tensor that is no handle of this capture.
        """
        if type(value) in _COMMON_CONSTANTS:
            return value
        if isinstance(value, torch.Tensor):
            node = self._node_of_handle.get(id(value))
            if node is None:
                raise RuntimeError(
                    "compiled autograd was handed a tensor during capture that is no value of "
                    f"the graph: shape {tuple(value.shape)}, dtype {value.dtype}"
                )
            return node
        if isinstance(value, (list, tuple)):
            if _COMMON_CONSTANTS.issuperset(map(type, value)):
                return value
            items = [self.to_nodes(item) for item in value]
            return items if isinstance(value, list) else tuple(items)
        if isinstance(value, (torch.SymInt, torch.SymFloat)):
            number = value.node
            if not isinstance(number, LiftedNumber):
                raise RuntimeError(f"symbolic number from another capture: {value}")
            return self._number(number)
        return value

    def _number(self, number: LiftedNumber) -> fx.Node | float:
        """Return the node that computes ``number``, which is made now if C++ did the computing."""
        if number.fx_node is None:
            if number.operation is None:
                return number.value
            operands = tuple(self._number(operand) for operand in number.operands)
            number.fx_node = self.call_nodes(number.operation, operands)
        return number.fx_node

    def attribute(self, name: str, value: Any) -> str:
        """Put ``value`` on the graph module under a free name derived from ``name``."""
        flat = free = name.replace(".", "_")
        number = 0
        while hasattr(self.root, free):
            number += 1
            free = f"{flat}_{number}"
        setattr(self.root, free, value)
        return free

    def items(self, of: fx.Node, wanted: Sequence[bool]) -> list[torch.Tensor | None]:
        """Return handles for the elements of a call that returns several; None if not wanted."""
        return [
            self.handle_for(self.item(of, index)) if is_wanted else None
            for index, is_wanted in enumerate(wanted)
        ]
