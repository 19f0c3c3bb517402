"""``CA_LOWERING=check``: each backward goes both ways, and what differs is an error.

The lowered graph runs on copies of the inputs, then Dynamo's on the inputs themselves. So the
training's results are those of a run without lowering, whatever is found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import torch
from torch import fx

from ca_engine.compat import ambient, aten_graphs, tensors
from ca_engine.lowering.contents import Contents
from ca_engine.lowering.recognise import Backend
from ca_engine.lowering.templates import is_plain
from ca_engine.lowering.ways import Way
from ca_engine.runtime import as_dynamic

# A row of a graph: operator, arguments, metadata of what it gives
NodeRow = tuple[Any, ...]


class LoweringDifferenceError(RuntimeError):
    """A lowered graph, or what it computed, is not what Dynamo's is. This is a bug in `ca`."""

    def __init__(self, capture: int, difference: str) -> None:
        super().__init__(
            f"CA_LOWERING=check: capture {capture} differs when it is lowered: {difference}. "
            "Train with CA_LOWERING=0 and report this as a bug in ca."
        )


def rows_of(graph: fx.Graph) -> list[NodeRow]:
    """Return ``graph`` row by row, up to names."""
    number: dict[fx.Node, int] = {}
    rows: list[NodeRow] = []
    for node in graph.nodes:
        number[node] = len(number)
        value = node.meta.get("val")
        given: tuple[Any, ...] = ()
        if isinstance(value, torch.Tensor):
            given = (tuple(value.shape), value.stride(), str(value.dtype), str(value.device))
        if node.op == "placeholder":
            rows.append((node.op, *given))
            continue
        args, kwargs = fx.map_arg((node.args, node.kwargs), lambda each: f"%{number[each]}")
        target = node.op if node.op == "output" else str(node.target)
        rows.append((target, repr(args), repr(kwargs), *given))
    return rows


def graphs_difference(ours: Sequence[list[NodeRow]], theirs: Sequence[list[NodeRow]]) -> str | None:
    """Return the first row that differs, in words; None if the graphs are equal.

    ``ours`` is one graph; where Dynamo broke it there are several of ``theirs``.
    """
    if len(ours) != len(theirs):
        return f"it is {len(ours)} ATen graph, with AOTAutograd {len(theirs)}"
    for our_graph, their_graph in zip(ours, theirs, strict=True):
        for number, (our, their) in enumerate(zip(our_graph, their_graph, strict=False)):
            if our != their:
                return f"row {number} of the ATen graph is {our}, with AOTAutograd {their}"
        if len(our_graph) != len(their_graph):
            return f"the ATen graph has {len(our_graph)} rows, with AOTAutograd {len(their_graph)}"
    return None


class CheckedWay:
    """Runs what ``make`` gives and ``compiled`` side by side.

    A graph that calls Python code runs once, by ``compiled``: that code may do anything.
    Raises `LoweringDifferenceError` once both have run.
    """

    def __init__(
        self,
        make: Callable[[], Way],
        backend: Backend,
        contents: Contents,
        compiled: Callable[..., Sequence[Any]],
        capture: int,
    ) -> None:
        self._backend = backend
        self._runs_once = contents.python is not None
        self._compiled = compiled
        self._capture = capture
        self._graphs: list[list[NodeRow]] = []
        with self._noting(self._graphs):
            self._way = make()
        self.name = self._way.name

    def _noting(self, graphs: list[list[NodeRow]]) -> AbstractContextManager[None]:
        """Give ``graphs`` the rows of what the backend compiles within."""
        if self._backend == "eager":
            return nullcontext()
        return aten_graphs.noting_graphs(self._backend, lambda graph: graphs.append(rows_of(graph)))

    def admits(self, inputs: list[torch.Tensor]) -> bool:
        return self._way.admits(inputs)

    def differs_in_memory(self, _: list[torch.Tensor]) -> bool:
        return False

    def failed(self, inputs: list[torch.Tensor]) -> str:
        return self._way.failed(inputs)

    def run(self, inputs: list[torch.Tensor], sizes: Sequence[int], *rest: Any) -> Sequence[Any]:
        if self._runs_once or not can_be_copied(inputs):
            return self._compiled(inputs, as_dynamic(sizes), *rest)
        comparison = Comparison(inputs)
        comparison.run_lowered(self._way, sizes, *rest)
        graphs: list[list[NodeRow]] = []
        with self._noting(graphs):
            outputs = self._compiled(inputs, as_dynamic(sizes), *rest)
        found = comparison.difference(outputs)
        if graphs:  # Dynamo compiled in this run
            found = graphs_difference(self._graphs, graphs) or found
        if found is not None:
            raise LoweringDifferenceError(self._capture, found)
        return outputs


class BackwardState(NamedTuple):
    """State after a backward: its results, its inputs, their ``.grad``, random numbers."""

    outputs: Sequence[Any]
    inputs: Sequence[torch.Tensor]
    grads: Sequence[torch.Tensor | None]
    writes: Sequence[int]
    random: torch.Tensor


class Comparison:
    """One backward: the lowered way on copies first, then ``difference`` after the other one."""

    def __init__(self, inputs: Sequence[torch.Tensor]) -> None:
        self._inputs = list(inputs)
        self._copies = copies_with_grads(inputs)
        self._versions = [ambient.version(tensor) for tensor in inputs]
        self._copied_versions = [ambient.version(tensor) for tensor in self._copies]
        self._lowered: BackwardState | Exception | None = None

    def run_lowered(self, way: Any, *rest: Any) -> None:
        """Leaves the random state as it was. An error is kept for `difference`."""
        random = torch.get_rng_state()
        try:
            outputs = way.run(list(self._copies), *rest)
            self._lowered = self._state(outputs, self._copies, self._copied_versions)
        except Exception as error:
            self._lowered = error
        finally:
            torch.set_rng_state(random)

    def difference(self, outputs: Sequence[Any]) -> str | None:
        """In words; None if nothing differs. ``outputs`` are those of the other way."""
        lowered = self._lowered
        if not isinstance(lowered, BackwardState):
            first = str(lowered).partition("\n")[0]
            return f"it raises {type(lowered).__name__}: {first}"
        return state_difference(lowered, self._state(outputs, self._inputs, self._versions))

    @staticmethod
    def _state(
        outputs: Sequence[Any], inputs: Sequence[torch.Tensor], versions: Sequence[int]
    ) -> BackwardState:
        return BackwardState(
            outputs,
            inputs,
            [tensor.grad if tensor.is_leaf else None for tensor in inputs],
            [ambient.version(tensor) - old for tensor, old in zip(inputs, versions, strict=True)],
            torch.get_rng_state(),
        )


def can_be_copied(inputs: Sequence[torch.Tensor]) -> bool:
    return all(
        is_plain(tensor) and (not tensor.is_leaf or tensor.grad is None or is_plain(tensor.grad))
        for tensor in inputs
    )


def copies_with_grads(inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Copy of ``inputs``, and of the ``.grad`` of each, which may be an input itself."""
    grads = {
        index: tensor.grad
        for index, tensor in enumerate(inputs)
        if tensor.is_leaf and tensor.grad is not None
    }
    tensors = list({id(tensor): tensor for tensor in [*inputs, *grads.values()]}.values())
    copies = dict(zip(map(id, tensors), copies_of(tensors), strict=True))
    for index, grad in grads.items():
        copies[id(inputs[index])].grad = copies[id(grad)]
    return [copies[id(tensor)] for tensor in inputs]


def copies_of(tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Return tensors of equal metadata and contents. What shared memory does so again."""
    storages: dict[int, torch.UntypedStorage] = {}
    copies: list[torch.Tensor] = []
    for tensor in tensors:
        storage = tensor.untyped_storage()
        identity = ambient.storage_id(tensor)
        own = storages.get(identity)
        if own is None:
            own = storages[identity] = storage.clone()  # type: ignore[no-untyped-call]
        copy = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
        copy.set_(own, tensor.storage_offset(), tensor.shape, tensor.stride())
        copies.append(copy.requires_grad_(tensor.requires_grad))
    return copies


def state_difference(ours: BackwardState, theirs: BackwardState) -> str | None:
    """Return the first thing that differs, in words; None if all is equal to the bit."""
    if len(ours.outputs) != len(theirs.outputs):
        return f"it gives {len(ours.outputs)} results, {len(theirs.outputs)} with Dynamo"
    parts: list[tuple[str, Sequence[Any], Sequence[Any]]] = [
        ("result", ours.outputs, theirs.outputs),
        ("input", ours.inputs, theirs.inputs),
        (".grad of input", ours.grads, theirs.grads),
    ]
    for what, own, other in parts:
        for index, (one, two) in enumerate(zip(own, other, strict=True)):
            if found := tensor_difference(one, two):
                return f"{what} {index}: {found}"
    for what, mine, its in (
        ("is added to in place", _place_of_grads(ours), _place_of_grads(theirs)),
        ("was written to", ours.writes, theirs.writes),
    ):
        for index, (here, there) in enumerate(zip(mine, its, strict=True)):
            if here != there:
                return f"input {index} {what}: {here}, with Dynamo {there}"
    if not torch.equal(ours.random, theirs.random):
        return "the state of random numbers afterwards"
    return None


def _place_of_grads(state: BackwardState) -> list[int | None]:
    """Find the input that each ``.grad`` is."""
    place = {id(tensor): index for index, tensor in enumerate(state.inputs)}
    return [place.get(id(grad)) for grad in state.grads]


def tensor_difference(one: Any, two: Any) -> str | None:
    """Describe how two tensors, or None, differ; None if they are equal to the bit."""
    if one is None or two is None:
        return None if one is two else f"{_kind(one)}, with Dynamo {_kind(two)}"
    for what, here, there in (
        ("layout", one.layout, two.layout),
        ("size", tuple(one.shape), tuple(two.shape)),
        ("strides", one.stride(), two.stride()),
        ("offset", one.storage_offset(), two.storage_offset()),
        ("dtype", one.dtype, two.dtype),
        ("device", one.device, two.device),
        ("requires_grad", one.requires_grad, two.requires_grad),
    ):
        if here != there:
            return f"{what} {here}, with Dynamo {there}"
    if one.layout is torch.sparse_coo:
        parts = zip(tensors.sparse_parts(one), tensors.sparse_parts(two), strict=True)
        return next(filter(None, (tensor_difference(here, there) for here, there in parts)), None)
    bits, others = _bits(one), _bits(two)
    if torch.equal(bits, others):
        return None
    count = int((bits != others).any(-1).sum())
    return f"{count} of {one.numel()} values differ"


def _kind(value: Any) -> str:
    return "nothing" if value is None else "a tensor"


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    """Return one row of bytes a value, so that NaN equals NaN and 0.0 is not -0.0."""
    plain = tensor.detach().resolve_conj().resolve_neg().contiguous().flatten()
    return plain.view(torch.uint8).view(tensor.numel(), tensor.element_size())
