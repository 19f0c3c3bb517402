"""A captured graph for one set of sizes.

C++ makes a size an input of the graph once it has changed. Dynamo then compiles the graph for all
sizes. A lowered graph is made for the sizes that come, as if they had been constants when it was
captured: the graph below is what such a capture would have given.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import torch
from torch import fx

from ca_engine.compat import dynamo, graph_calls

# What is computed with sizes: by C++ (`ca_engine.capture.lifted`), and in backwards of AOTAutograd.
_MODULES_OF_NUMBERS = frozenset({operator.add.__module__, math.__name__})
_OF_NUMBERS = frozenset(
    {
        torch.sym_float,
        torch.sym_int,
        torch.sym_ite,
        torch.sym_max,
        torch.sym_min,
        torch.sym_not,
        torch.sym_sum,
    }
)


def with_sizes(module: fx.GraphModule, sizes: Sequence[int]) -> fx.GraphModule:
    """Return ``module`` with ``sizes``, an item for each size that its graph takes, as constants.

    It is called like ``module`` and does not look at the sizes that it is called with.
    """
    graph = graph_with_sizes(module.graph, sizes)
    specialised = fx.GraphModule(module, graph, type(module).__name__)
    dynamo.let_compiler_free_inputs(specialised)
    return specialised


def graph_with_sizes(captured: fx.Graph, sizes: Sequence[int]) -> fx.Graph:
    """As `with_sizes`, the graph alone."""
    graph = fx.Graph()
    values: dict[fx.Node, Any] = {}
    (of_sizes,) = captured.find_nodes(op="placeholder", target="sizes")
    for node in captured.nodes:
        args, kwargs = fx.map_arg((node.args, node.kwargs), values.__getitem__)
        if node.target is operator.getitem and node.args[0] is of_sizes:
            values[node] = sizes[args[1]]
        elif node.target is graph_calls.unwrap_maybe_dynamic_int:
            (values[node],) = args
        elif _is_of_numbers(node) and not any(isinstance(arg, fx.Node) for arg in args):
            values[node] = node.target(*args)
        else:
            copy = values[node] = graph.create_node(
                node.op, node.target, args, kwargs, node.name, node.type
            )
            copy.meta = dict(node.meta)
    return graph


def _is_of_numbers(node: fx.Node) -> bool:
    return node.op == "call_function" and (
        node.target in _OF_NUMBERS
        or getattr(node.target, "__module__", None) in _MODULES_OF_NUMBERS
    )
