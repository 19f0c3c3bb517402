"""The captured graph as a module, with its code generated once.

Generating Python code from a graph takes about as long as building the graph. Without a
trace it is needed once, to compile the module. With one it is needed a second time, in the
form with comments that people read; then the module is compiled from that form as well.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import fx
from torch.fx.graph import CodeGen, PythonCode

from ca_engine import trace


class _CommentedOnce(CodeGen):
    """Generates the form with comments for whoever asks first, and hands it out again."""

    def __init__(self) -> None:
        super().__init__()
        self._code: PythonCode | None = None

    def _gen_python_code(
        self, nodes: Any, root_module: str, namespace: Any, **options: Any
    ) -> PythonCode:
        # Strides, devices and colours are for logs, which want a text of their own.
        asked_for = {name for name, value in options.items() if value} - {"verbose", "record_func"}
        if asked_for:
            return super()._gen_python_code(nodes, root_module, namespace, **options)
        if self._code is None:
            options["verbose"] = True
            self._code = super()._gen_python_code(nodes, root_module, namespace, **options)
        return self._code


def make_module(root: torch.nn.Module, graph: fx.Graph, class_name: str) -> fx.GraphModule:
    """The finished graph as a module; call `let_go` when it has been printed."""
    if trace.is_listening():
        graph.set_codegen(_CommentedOnce())
    return fx.GraphModule(root, graph, class_name)


def let_go(module: fx.GraphModule) -> None:
    """From here on code is generated anew, as a compiler that changes the graph expects."""
    module.graph.set_codegen(CodeGen())
