"""The ATen graph of a captured graph, as AOTAutograd would hand it to its backend."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from ca_engine.compat import compiled_autograd, graph_calls, tracing
from ca_engine.lowering.refusal import RefusalError
from ca_engine.lowering.templates import (
    FromInput,
    FromNode,
    Template,
    Templates,
    Traced,
    metadata_of,
)


@dataclass
class AtenGraph:
    """``graph`` takes the captured graph's inputs one by one.

    ``fakes`` are like its inputs; ``results`` counts what it returns. ``grads`` maps the position
    of a parameter in ``inputs`` to that of its new ``.grad`` among the results, and ``outputs`` is
    what the captured graph returns, as positions there. ``changed`` are the positions of inputs
    that it adds gradients to, each a ``.grad``.
    """

    graph: fx.Graph
    fakes: list[torch.Tensor]
    results: int
    grads: dict[int, int]
    changed: list[int]
    outputs: list[int | None]


def assemble(captured: fx.Graph, inputs: Sequence[torch.Tensor], templates: Templates) -> AtenGraph:
    """Build the AOT graph. Raises `RefusalError` where AOTAutograd's would be another one.

    The fake tensors of its nodes have the right metadata, but those that come from one template
    are the same: they do not tell what shares memory.
    """
    with templates.in_use():
        (graph,) = filter(None, assemble_by_parts(captured, inputs, templates))
        return graph


def assemble_by_parts(
    captured: fx.Graph, inputs: Sequence[torch.Tensor], templates: Templates
) -> Iterator[AtenGraph | None]:
    """As `assemble`, with a rest behind each input and each node of ``captured``.

    Yields None there, and in the end the graph.

    ``templates`` are in use while it works, and need not be in between. Global state must be the
    same whenever it works.
    """
    return _Assembler(captured, inputs, templates).run()


class _Assembler:
    def __init__(
        self,
        captured: fx.Graph,
        inputs: Sequence[torch.Tensor],
        templates: Templates,
    ) -> None:
        self._captured = captured
        self._templates = templates
        self._graph = tracing.new_graph()
        self._values: dict[fx.Node, Any] = {}
        # Not the inputs themselves, which a graph put together by parts would keep in memory.
        self._fakes = templates.fakes_of(inputs)
        self._inputs: list[Traced] = []
        self._position: dict[fx.Node, int] = {}
        # Position of a parameter in `inputs` -> its gradient, the position of its .grad -> sum
        self._grads: dict[int, Traced] = {}
        self._changed: dict[int, Traced] = {}
        self._accumulated: dict[int, int] = {}
        self._written: set[fx.Node] = set()

    def _placeholder(self, index: int, fake: torch.Tensor) -> Traced:
        node = self._graph.placeholder(tracing.input_name(index))
        node.meta["val"] = fake
        node.meta["tensor_meta"] = tracing.tensor_metadata(fake)
        return Traced(node, fake, metadata_of(fake))

    def run(self) -> Iterator[AtenGraph | None]:
        for index, fake in enumerate(self._fakes):
            yield None
            self._inputs.append(self._placeholder(index, fake))
        self._position = {each.node: index for index, each in enumerate(self._inputs)}
        returned: Sequence[Any] = ()
        for node in self._captured.nodes:
            yield None
            if node.op == "placeholder":
                self._values[node] = None
            elif node.op == "output":
                (returned,) = node.args
            elif node.op != "call_function":
                raise RefusalError("constant" if node.op == "get_attr" else "module_call")
            elif node.target is operator.getitem:
                self._values[node] = self._item(node)
            elif node.target is graph_calls.call_accumulate_grad:
                self._values[node] = self._accumulate(node)
            elif node.target is not graph_calls.EXEC_FINAL_CALLBACKS:
                self._values[node] = self._call(node)
        yield self._finish([self._value(each) for each in returned])

    def _value(self, arg: Any) -> Any:
        if isinstance(arg, fx.Node):
            return self._values[arg]
        if isinstance(arg, (list, tuple)):
            return type(arg)([self._value(item) for item in arg])
        if isinstance(arg, dict):
            return {name: self._value(item) for name, item in arg.items()}
        return arg

    def _item(self, node: fx.Node) -> Any:
        of, index = node.args
        assert isinstance(of, fx.Node)
        assert isinstance(index, int)
        if of.op != "placeholder":
            return self._values[of][index]
        # A Function's context is lifted although an AOT region has no use for it.
        return self._inputs[index] if of.target == "inputs" else _NOT_A_TENSOR

    def _call(self, node: fx.Node) -> Any:
        target: Any = node.target
        args, kwargs = self._value(node.args), self._value(node.kwargs)
        template, tensors = self._templates.template(
            target, args, kwargs, keep=tracing.is_lasting(target)
        )
        if template.changed:
            raise RefusalError("changes_a_tensor", str(target))
        for number, tensor in enumerate(tensors):
            # Functionalization makes such a view again where it is next used.
            if tensor.node in self._written and template.views(number):
                raise RefusalError("late_view", str(target))
        return self._copy(template, tensors)

    def _accumulate(self, node: fx.Node) -> Traced:
        variable, grad, new, has_hooks = self._value(node.args)
        if not isinstance(variable, Traced) or not isinstance(new, Traced):
            raise RefusalError("undefined_gradient")
        position = self._position[variable.node]
        if position in self._grads or position in self._accumulated:
            raise RefusalError("accumulates_twice")
        template, tensors = self._templates.template(
            compiled_autograd.op_registry().get("AccumulateGrad"),
            ([new], variable, grad, has_hooks),
            {},
            keep=True,
        )
        updated: Traced
        (updated,) = self._copy(template, tensors)
        if grad is None:
            if template.changed:
                raise RefusalError("changes_a_tensor", "AccumulateGrad")
            self._grads[position] = updated
            return updated
        self._add_in_place(node, grad, template, tensors, updated)
        self._accumulated[position] = self._position[grad.node]
        return updated

    def _add_in_place(
        self,
        node: fx.Node,
        grad: Traced,
        template: Template,
        tensors: Sequence[Traced],
        updated: Traced,
    ) -> None:
        """Only the ``.grad`` may be written, and nobody else may read it."""
        changed = [tensors[index].node for index in template.changed]
        captured_grad = node.args[1]
        assert isinstance(captured_grad, fx.Node)
        if changed != [grad.node] or grad.node not in self._position:
            raise RefusalError("grad_form", "not added to in place")
        if len(captured_grad.users) != 1 or self._position[grad.node] in self._changed:
            raise RefusalError("grad_is_read")
        self._changed[self._position[grad.node]] = updated

    def _copy(self, template: Template, tensors: Sequence[Traced]) -> Any:
        made: list[Traced] = []

        def traced(place: FromInput | FromNode) -> Traced:
            return tensors[place.number] if type(place) is FromInput else made[place.number]

        def node_of(place: FromInput | FromNode) -> fx.Node:
            return traced(place).node

        for call in template.calls:
            args, kwargs = _filled((call.args, call.kwargs), node_of)
            node = self._graph.create_node("call_function", call.target, args, kwargs, call.name)
            node.meta = dict(call.meta)
            made.append(Traced(node, node.meta.get("val"), call.metadata))
        self._written |= {traced(place).node for place in template.written}
        return _filled(template.result, traced)

    # The end of the graph

    def _finish(self, returned: Sequence[Any]) -> AtenGraph:
        written = {
            position: self._graph.create_node(
                "call_function",
                torch.ops.aten.copy_.default,
                (self._inputs[position].node, updated.node),
                name=tracing.call_name(torch.ops.aten.copy_.default),
            )
            for position, updated in sorted(self._changed.items())
        }
        for position, node in written.items():
            node.meta["val"] = self._inputs[position].fake
            node.meta["tensor_meta"] = tracing.tensor_metadata(self._inputs[position].fake)
        # What is returned comes first, then what Dynamo's code sets behind the graph.
        results = [value.node for value in returned if value is not None]
        positions = iter(range(len(results)))
        outputs = [None if value is None else next(positions) for value in returned]
        grads: dict[int, int] = {}
        for position in sorted({*self._grads, *self._accumulated}):
            if position in self._grads:
                grads[position] = len(results)
                results.append(self._grads[position].node)
            else:
                results.append(written[self._accumulated[position]])
        self._refuse_aliases([node for node in results if node not in written.values()])
        self._graph.output(tuple(results))
        self._graph.eliminate_dead_code()
        return AtenGraph(
            self._graph,
            self._fakes,
            len(results),
            grads,
            sorted(self._changed),
            outputs,
        )

    def _refuse_aliases(self, results: Sequence[fx.Node]) -> None:
        """AOTAutograd makes outputs again that are inputs or views of inputs."""
        if len(set(results)) < len(results):
            raise RefusalError("output_alias", "a gradient is returned twice")
        if any(viewed(node).op == "placeholder" for node in results):
            raise RefusalError("output_alias", "a gradient is a view of an input")


# Stands for what is no input of an ATen graph; a call that takes it is refused.
_NOT_A_TENSOR = object()


def viewed(node: fx.Node) -> fx.Node:
    """Return the node whose memory ``node`` shows: the base of all views, or ``node`` itself."""
    while (base := _base_of(node)) is not None:
        node = base
    return node


def _base_of(node: fx.Node) -> fx.Node | None:
    if node.op != "call_function":
        return None
    if node.target is operator.getitem:
        base = node.args[0]
        assert isinstance(base, fx.Node)
        return _base_of(base)
    position = tracing.viewed_argument(node.target)
    value = None if position is None else node.args[position]
    return value if isinstance(value, fx.Node) else None


def _filled(value: Any, fill: Callable[[Any], Any]) -> Any:
    """Return ``value`` with what ``fill`` makes of each `FromInput` and `FromNode` in it."""
    if type(value) in (FromInput, FromNode):
        return fill(value)
    if isinstance(value, (list, tuple)):
        return type(value)([_filled(item, fill) for item in value])
    if isinstance(value, dict):
        return {name: _filled(item, fill) for name, item in value.items()}
    return value
