"""Reads which inputs a graph of Dynamo's has and of which sizes, and lets its calls be observed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType, MethodType
from typing import Any, NamedTuple

import torch
from torch._dynamo.output_graph import OutputGraph
from torch._guards import CompileContext
from torch.fx._lazy_graph_module import _LazyGraphModule

Undo = Callable[[], None]
Compiled = Callable[..., Any]

# Inputs of one graph that are described; a batch has a few.
MAX_INPUTS = 32
_ROOT = re.compile(r"L\['(\w+)'\]")
# Dynamo takes parameters, buffers and what an optimizer holds for inputs, too.
_KEPT = ("_parameters[", "_buffers[", "param_groups[")


class ObservedGraph(NamedTuple):
    """The tensors that a program gives a graph, and where the graph gets its dynamic sizes.

    ``compile_id`` is Dynamo's (``3/0``). ``shapes`` are by the names that guards have for the
    tensors (``batch['ids']``), a dynamic size as its symbol (``s77``). ``positions`` say which
    argument of the graph holds the value of a symbol. ``code`` is what Dynamo compiled.
    """

    compile_id: str
    shapes: Mapping[str, tuple[int | str, ...]]
    positions: Mapping[str, int]
    code: CodeType | None = None


def observe_graphs(
    compiled: Callable[[], None], observed: Callable[[ObservedGraph, Compiled], Compiled]
) -> Undo:
    """Call ``compiled`` when Dynamo got a graph from its backend, and have it observed.

    ``observed`` replaces a graph of the program's by what it makes of it. Left alone are captured
    backwards, graphs without a tensor of the program's among their inputs, and those that torch
    keeps for later processes, which must be its own. Returns the way back, for graphs that are
    compiled after it.
    """

    def replaced(graph: Any, made: Any) -> Any:
        compiled()
        try:
            found = _inputs(graph)
        except Exception:
            return made  # what is recorded about a graph must not take the user's compile with it
        if found is None:
            return made
        function = called(made)
        return made if function is None else observed(found, function)

    return replace_graphs(replaced)


def replace_graphs(replaced: Callable[[Any, Any], Any]) -> Undo:
    """Have Dynamo take what ``replaced`` returns for a graph: it gets that and its backend's.

    Returns the way back, for graphs that are compiled after it.
    """
    return _graphs.add(replaced)


class _Graphs:
    """Dynamo's call of a backend, replaced once for all who ask: they may leave in any order."""

    def __init__(self) -> None:
        self._replacing: tuple[Callable[[Any, Any], Any], ...] = ()
        self._stock: Callable[..., Any] | None = None
        self._own: Callable[..., Any] | None = None

    def add(self, replaced: Callable[[Any, Any], Any]) -> Undo:
        output_graph: Any = OutputGraph
        if self._stock is None:
            self._stock = output_graph.call_user_compiler
            self._own = output_graph.call_user_compiler = self._calls(self._stock)
        self._replacing += (replaced,)

        def undo() -> None:
            self._replacing = tuple(one for one in self._replacing if one is not replaced)
            # Where somebody else has replaced ours since, it stays, and changes nothing.
            if not self._replacing and output_graph.call_user_compiler is self._own:
                output_graph.call_user_compiler, self._stock = self._stock, None

        return undo

    def _calls(self, stock: Callable[..., Any]) -> Callable[..., Any]:
        def call_user_compiler(graph: Any, *args: Any, **kwargs: Any) -> Any:
            made = stock(graph, *args, **kwargs)
            for replaced in self._replacing:
                made = replaced(graph, made)
            return made

        return call_user_compiler


_graphs = _Graphs()


def called(made: Any) -> Compiled | None:
    """Return the function that Dynamo calls for a compiled graph; None if it is an object's."""
    lazy = getattr(made, "__self__", None)
    if isinstance(lazy, _LazyGraphModule) and made.__name__ == "_lazy_forward":
        # As Dynamo does it with what it gets here.
        _LazyGraphModule.force_recompile(lazy)
        forward: Compiled = lazy.forward
        return forward
    return made if type(made) in (FunctionType, MethodType) else None


def own_compile_id(graph: Any) -> str | None:
    """Return the id of the compile that ``graph`` is of; None of graphs to leave alone.

    These are captured backwards, and those that torch keeps for later processes.
    """
    if graph.export or getattr(graph, "package", None) is not None:
        return None
    compile_id = str(CompileContext.current_compile_id() or "")
    return None if compile_id.startswith("!") else compile_id or None


def source_name(source: Any) -> str:
    """Return what guards call the thing that ``source`` is of."""
    name = source.name
    return str(name if isinstance(name, str) else name())  # a method until torch 2.12


def _inputs(graph: Any) -> ObservedGraph | None:
    compile_id = own_compile_id(graph)
    if compile_id is None:
        return None
    shapes: dict[str, tuple[int | str, ...]] = {}
    positions: dict[str, int] = {}
    for position, node in enumerate(graph.graph.find_nodes(op="placeholder")):
        value = node.meta.get("example_value")
        if isinstance(value, torch.SymInt):
            positions[str(value.node.expr)] = position
        elif isinstance(value, torch.Tensor) and len(shapes) < MAX_INPUTS:
            name = _name(node.meta.get("grapharg"))
            if name and value.dim() and not any(part in name for part in _KEPT):
                shapes[name] = tuple(map(_size, value.shape))
    if not shapes:
        return None
    return ObservedGraph(compile_id, shapes, positions, graph.root_tx.f_code)


def _name(argument: Any) -> str:
    source = getattr(argument, "source", None)
    return "" if source is None else _ROOT.sub(r"\1", source_name(source))


def _size(size: Any) -> int | str:
    return size if type(size) is int else str(size.node.expr)
