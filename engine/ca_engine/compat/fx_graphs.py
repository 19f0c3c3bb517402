"""Writes a graph's code with FX's means, and builds graphs faster."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any

import torch
from torch import fx
from torch.fx.graph import (
    CodeGen,
    PythonCode,
    _custom_builtins,
    _format_target,
    _illegal_names,
    _is_from_torch,
    _Namespace,
    _parse_stack_trace,
    inplace_methods,
    magic_methods,
)
from torch.fx.graph_module import _print_readable
from torch.fx.node import _get_qualified_name

__all__ = [
    "CODE_ATTRIBUTES",
    "Namespace",
    "PythonCode",
    "custom_builtins",
    "format_target",
    "has_boxed_arguments",
    "illegal_names",
    "inplace_methods",
    "input_nodes",
    "is_from_torch",
    "is_standard_operator",
    "magic_methods",
    "name_of_target",
    "parse_stack_trace",
    "python_code",
    "qualified_name",
    "readable_code",
    "set_arguments",
    "writes_its_own_code",
]

Namespace = _Namespace
custom_builtins = _custom_builtins
format_target = _format_target
illegal_names = _illegal_names
is_from_torch = _is_from_torch
parse_stack_trace = _parse_stack_trace
qualified_name = _get_qualified_name

# What compiling a module's code sets on the module, beside ``forward``.
CODE_ATTRIBUTES = ("_code", "_lineno_map", "_prologue_start")

# (node, args, kwargs). The attribute setters would also take the node out of its graph's index
# and back, and making a node with arguments looks through them, leaf by leaf, for symbolic
# numbers.
set_arguments = fx.Node._update_args_kwargs

# The nodes among a node's arguments, each once.
input_nodes: Callable[[fx.Node], Mapping[fx.Node, None]] = attrgetter("_input_nodes")


def name_of_target(graph: fx.Graph, target: Callable[..., Any]) -> str:
    """Return the name that ``graph`` gives to a call of ``target``, before it is made unique."""
    return graph._target_to_str(target)


def writes_its_own_code(graph: fx.Graph) -> bool:
    """Return whether ``graph`` has a code generator that is not FX's, or its text is changed."""
    codegen = graph._codegen
    return type(codegen) is not CodeGen or codegen._body_transformer is not None


def is_standard_operator(target: object) -> bool:
    """Return whether ``target`` is a function of the module `operator`."""
    return getattr(target, "__module__", "") == "_operator"


def has_boxed_arguments(target: object) -> bool:
    """Return whether FX writes calls of ``target`` with some arguments in one list."""
    return hasattr(target, "_boxed_arg_indices")


def python_code(
    text: str, names: dict[str, Any], node_of_line: Sequence[int | None], *, start: int
) -> PythonCode:
    """Return ``text`` with what FX needs to run it and to say which node a line came from.

    ``names`` are its globals. The body begins with line ``start``, and its lines came from the
    nodes at the positions ``node_of_line``.
    """
    lines = dict(enumerate(node_of_line, start=1))
    return PythonCode(text, names, _lineno_map=lines, _prologue_start=start)


def readable_code(root: torch.nn.Module, graph: fx.Graph, class_name: str) -> str:
    """Return the text of ``GraphModule(root, graph, class_name).print_readable()``.

    Without making such a module: that would generate and compile its code once more.
    """
    holder: Any = root
    holder.graph = graph
    try:
        return _print_readable(root, class_name, print_output=False)
    finally:
        del holder.graph
