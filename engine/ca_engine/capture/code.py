"""Python code of a captured graph, the same that FX generates, in a fifth of the time.

Captured graphs are long and plain: thousands of calls on nodes, None and numbers. FX's own
generator looks at each argument for a dozen of rarer things. Ours writes what is plain, and
on the first thing that is not it gives up and lets FX write the whole text. Both texts are
compared once in a process, so a torch that writes another one gets FX's.
"""

from __future__ import annotations

import functools
import operator
import os
from collections.abc import Callable
from typing import Any

import torch
from torch import fx

from ca_engine.code_later import compile_code, put_off
from ca_engine.compat import fx_graphs, versions
from ca_engine.passes.inputs import BackwardGraph

# Constants that stand in code as `repr` gives them
_LITERALS = frozenset(
    {
        type(None),
        bool,
        int,
        float,
        str,
        torch.dtype,
        torch.device,
        torch.layout,
        torch.memory_format,
    }
)
_FLAT = _LITERALS | {fx.Node}
# What FX shows of a node's metadata beside the call, in every form of the code …
_META_IN_CODE = frozenset({"is_wrapped", "boxed_arg_indices"})
# … and in the one with comments only
_META_IN_COMMENTS = frozenset(
    {
        *("val", "tensor_meta", "example_value", "custom", "recompute", "ac_graph_id"),
        *_META_IN_CODE,
    }
)
_SWITCHES = ("FX_GRAPH_SHOW_STRIDE", "FX_GRAPH_SHOW_DEVICE", "FX_GRAPH_SHOW_META")
_SAYS_BACKWARD = versions.comments_name_backwards()
_NO_TRACE = "No stacktrace found for following nodes"
_COUNTER = "# COUNTER: "  # a line that FX takes for one of its own marks


class CapturedGraph(BackwardGraph):
    """An `fx.Graph` that writes its code quickly. Copies of it are plain graphs."""

    _is_put_off = False

    def python_code(
        self, root_module: str, *, verbose: bool = False, **options: Any
    ) -> fx_graphs.PythonCode:
        """As `fx.Graph.python_code`; what ``options`` ask for is left to that."""
        if self._is_put_off:
            parameters = ", ".join(node.name for node in self.nodes if node.op == "placeholder")
            text = (
                f"\n\n\ndef forward({root_module}, {parameters}):\n"
                f"    return compile_code({root_module}).forward({parameters})\n"
            )
            names = {"compile_code": compile_code}
            return fx_graphs.python_code(text, names, (), start=4)
        if not any(options.values()):
            code = quick_code(self, root_module, comments=verbose)
            if code is not None:
                return code
        return super().python_code(root_module, verbose=verbose, **options)


def module_without_code(root: torch.nn.Module, graph: CapturedGraph, name: str) -> fx.GraphModule:
    """Return ``fx.GraphModule(root, graph, name)``, whose code is compiled later."""
    graph._is_put_off = True
    try:
        module = fx.GraphModule(root, graph, name)
    finally:
        del graph._is_put_off
    put_off(module)
    return module


def quick_code(graph: fx.Graph, root_module: str, *, comments: bool) -> fx_graphs.PythonCode | None:
    """Return the code of ``graph``, None if FX has to write it."""
    if not agrees_with_fx():
        return None
    return _write(graph, root_module, comments)


@functools.cache
def agrees_with_fx() -> bool:
    """Return whether this torch writes the same code for a graph that has one of each."""
    graph = _sample()
    return all(
        _write(graph, "self", comments) == graph.python_code("self", verbose=comments)
        for comments in (False, True)
    )


def _write(graph: fx.Graph, root_module: str, comments: bool) -> fx_graphs.PythonCode | None:
    if fx_graphs.writes_its_own_code(graph) or any(
        os.environ.get(name) == "1" for name in _SWITCHES
    ):
        return None
    try:
        return _Writer(graph, root_module, comments).write()
    except _NotPlainError:
        return None


class _NotPlainError(Exception):
    """The graph has something that FX must write."""


class _Writer:
    """Writes the code of one graph. Raises `_NotPlainError` if it has anything unusual."""

    def __init__(self, graph: fx.Graph, root_module: str, comments: bool) -> None:
        self._nodes = list(graph.nodes)
        self._root_module = root_module
        self._comments = comments
        self._namespace = fx_graphs.Namespace()
        self._globals: dict[str, Any] = {}
        for name, builtin in fx_graphs.custom_builtins.items():
            self._globals[self._namespace.create_name(name, builtin.obj)] = builtin.obj
        self._calls: dict[Any, tuple[bool, str]] = {}
        self._shown_meta = _META_IN_COMMENTS if comments else _META_IN_CODE

    def write(self) -> fx_graphs.PythonCode:
        names = {node.name for node in self._nodes}
        # FX gives another name to the second of two, and to what hides a builtin.
        if len(names) < len(self._nodes) or not names.isdisjoint(fx_graphs.illegal_names):
            raise _NotPlainError
        lines: list[str] = []
        node_of_line: list[int | None] = []
        parameters = ["self"]
        shown = None
        sources: dict[tuple[str | None, bool], str] = {}
        dead_after = self._dead_after()
        for index, node in enumerate(self._nodes):
            if node.type is not None or not self._shown_meta.isdisjoint(node.meta):
                raise _NotPlainError
            if node.op == "placeholder":
                if node.name != node.target or node.args:
                    raise _NotPlainError
                parameters.append(node.name)
                continue
            if node.op == "output":
                lines.append(f"return {self._text(node.args[0])}")
                node_of_line.append(index)
                continue
            if self._comments:
                of = node.meta.get("stack_trace"), bool(node.meta.get("autograd_backward"))
                source = sources.get(of)
                if source is None:
                    source = sources[of] = _source(*of)
                if source != shown:
                    shown = source
                    lines += ("", f"# {source}")
                    # FX has not counted on to this node when it writes its comment.
                    node_of_line += (index - 1, index - 1)
            dead = [other.name for other in dead_after.get(node, ())]
            if not node.users:
                dead.append(node.name)
            statement = self._statement(node)
            lines.append(f"{statement};  {' = '.join(dead)} = None" if dead else statement)
            node_of_line.append(index)
        if not names.isdisjoint(self._globals):
            raise _NotPlainError
        return self._assemble(lines, node_of_line, parameters)

    def _dead_after(self) -> dict[fx.Node, list[fx.Node]]:
        """Node → the values that it is the last to use."""
        seen: set[fx.Node] = set()
        dead_after: dict[fx.Node, list[fx.Node]] = {}
        for node in reversed(self._nodes):
            if node.op == "output":
                seen.update(fx_graphs.input_nodes(node))
                continue
            dead = [value for value in fx_graphs.input_nodes(node) if value not in seen]
            if dead:
                seen.update(dead)
                dead_after[node] = dead
        return dead_after

    def _statement(self, node: fx.Node) -> str:
        if node.op == "call_function":
            call = self._calls.get(node.target)
            if call is None:
                call = self._calls[node.target] = self._call(node.target)
            is_operator, text = call
            args = self._texts(node.args)
            if is_operator:
                return f"{node.name} = {text.format(*args)}"
            if node.kwargs:
                args += [f"{name} = {self._text(value)}" for name, value in node.kwargs.items()]
            return f"{node.name} = {text}({', '.join(args)})"
        if node.op not in ("get_attr", "call_module") or not isinstance(node.target, str):
            raise _NotPlainError
        target = fx_graphs.format_target(self._root_module, node.target)
        if node.op == "get_attr":
            return f"{node.name} = {target}"
        args = self._texts(node.args)
        args += [f"{name} = {self._text(value)}" for name, value in node.kwargs.items()]
        return f"{node.name} = {target}({', '.join(args)})"

    def _call(self, target: Any) -> tuple[bool, str]:
        """Return how calls of ``target`` are written: a format for operators, else a name."""
        if fx_graphs.is_standard_operator(target):
            if target.__name__ in fx_graphs.inplace_methods:
                raise _NotPlainError
            if target.__name__ in fx_graphs.magic_methods:
                return True, fx_graphs.magic_methods[target.__name__]
        qualified = fx_graphs.qualified_name(target)
        if qualified == "getattr" or fx_graphs.has_boxed_arguments(target):
            raise _NotPlainError
        if fx_graphs.is_from_torch(target) and target != torch.device:
            return False, qualified
        name = self._namespace.create_name(qualified, target)
        self._globals[name] = target
        return False, name

    def _texts(self, args: Any) -> list[str]:
        return [arg.name if type(arg) is fx.Node else self._text(arg) for arg in args]

    def _text(self, arg: Any) -> str:
        kind = type(arg)
        if kind in _LITERALS:
            return repr(arg)
        if (kind is tuple or isinstance(arg, list)) and _FLAT.issuperset(map(type, arg)):
            return repr(arg)  # in C, where a node's is its name
        if kind is tuple:
            comma = "," if len(arg) == 1 else ""
            return f"({', '.join(self._texts(arg))}{comma})"
        if isinstance(arg, list):
            return f"[{', '.join(self._texts(arg))}]"
        if kind is fx.Node:
            name: str = arg.name
            return name
        raise _NotPlainError

    def _assemble(
        self, lines: list[str], node_of_line: list[int | None], parameters: list[str]
    ) -> fx_graphs.PythonCode:
        # FX's text ends with an empty line, and the map counts the empty lines at its start,
        # which the text then loses.
        last = len(self._nodes) - 1
        lines.append("")
        node_of_line.append(last)
        first = 0
        while first < len(lines) - 1 and not lines[first]:
            first += 1
        body = "\n".join([f"    {line}" for line in lines[first:]])
        if _COUNTER in body:
            raise _NotPlainError
        text = f"\n\n\ndef forward({', '.join(parameters)}):\n{body}"
        return fx_graphs.python_code(text, self._globals, node_of_line, start=4)


def _source(trace: str | None, is_backward: bool) -> str:
    """Return the comment over a node's lines: where the node comes from."""
    parsed = fx_graphs.parse_stack_trace(trace) if trace else None
    if parsed is None:
        return _NO_TRACE
    prefix = "Backward of forward node: " if is_backward and _SAYS_BACKWARD else ""
    return prefix + parsed.get_summary_str()


def _sample() -> fx.Graph:
    """Return a small graph of all that is plain."""
    graph = fx.Graph()
    inputs, sizes = graph.placeholder("inputs"), graph.placeholder("sizes")
    item = graph.call_function(operator.getitem, (inputs, 0))
    size = graph.call_function(operator.getitem, (sizes, 1))
    call: Callable[..., fx.Node] = graph.call_function
    product = call(torch.mul, (item, 2.5))
    product.meta["stack_trace"] = '  File "model.py", line 3, in forward\n    return x * 2.5\n'
    view = call(torch.ops.aten.view.default, (product, [size, -1]))
    view.meta.update(product.meta, autograd_backward=True)
    sample = call(
        _sample, ((item,), (), (view, None), True, torch.float32), {"device": torch.device("cpu")}
    )
    attribute = graph.create_node("get_attr", "attribute.of")
    module = graph.create_node("call_module", "module.0", (attribute, "text"), {"scale": size})
    graph.call_function(torch.sym_max, (size, float("inf")))
    total = call(operator.add, (sample, module))
    graph.output([total, None])
    return graph
