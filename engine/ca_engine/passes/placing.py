"""Finds hook calls and moves nodes, for the reordering passes."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from torch import fx

from ca_engine.compat import graph_calls


def hook_calls(graph: fx.Graph, hook_type: str) -> list[fx.Node]:
    """Return the calls of hooks of one kind, in graph order."""
    return [
        node
        for node in graph.find_nodes(op="call_function", target=graph_calls.call_hook)
        if is_hook(node, hook_type)
    ]


def is_hook(node: fx.Node, hook_type: str) -> bool:
    return node.target is graph_calls.call_hook and node.kwargs.get("hook_type") == hook_type


def is_item(node: fx.Node) -> bool:
    return node.op == "call_function" and node.target is operator.getitem


def is_graph_input(node: fx.Node) -> bool:
    """Return whether it is a placeholder or an element of one: there before anything runs."""
    if node.op == "placeholder":
        return True
    return is_item(node) and node_arg(node, 0).op == "placeholder"


def node_arg(node: fx.Node, index: int) -> fx.Node:
    arg = node.args[index]
    assert isinstance(arg, fx.Node)
    return arg


def nodes_in(values: Any) -> list[fx.Node]:
    """Return the FX nodes directly in a list or tuple; None and constants are left out."""
    return [value for value in values if isinstance(value, fx.Node)]


def last_of(nodes: Iterable[fx.Node]) -> fx.Node | None:
    """Return the node that comes last in the graph, None of none."""
    return max(nodes, default=None)


def place_after(anchor: fx.Node, *nodes: fx.Node) -> None:
    """Move ``nodes``, in this order, right behind ``anchor``."""
    for node in nodes:
        anchor.append(node)
        anchor = node


def place_before(anchor: fx.Node, *nodes: fx.Node) -> None:
    """Move ``nodes``, in this order, right before ``anchor``."""
    for node in nodes:
        anchor.prepend(node)


def can_follow(anchor: fx.Node | None, node: fx.Node) -> bool:
    """Return whether moving ``node`` behind ``anchor`` is a move, and not in front of all work."""
    return anchor is not None and anchor is not node.prev and not is_graph_input(anchor)
