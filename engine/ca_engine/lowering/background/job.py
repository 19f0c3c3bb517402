"""An ATen graph on its way to the process that compiles it.

FX's own picklers write a graph's Python code, or its fake tensors one by one. ATen graphs from
templates hold nothing but operators, constants and nodes; metadata is what the operators make of
that of the inputs, there as here.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from itertools import islice
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import torch
from torch import fx

from ca_engine.compat import fake_graphs, inductor, inductor_cache, process_state, tracing
from ca_engine.lowering.assemble import AtenGraph
from ca_engine.lowering.recognise import KnownCompiler
from ca_engine.lowering.templates import metadata_of

_PART = 100  # nodes


class _Node(NamedTuple):
    """Stands for the node of that name."""

    name: str


class _Input(NamedTuple):
    """``metadata`` is that of `templates.metadata_of`."""

    name: str
    metadata: tuple[Any, ...]


class _Call(NamedTuple):
    """A call of an operator, with `_Node` for the results of others."""

    name: str
    target: Any
    args: Any
    kwargs: Any


@dataclass(frozen=True)
class Job:
    """An ATen graph, what inductor compiles it with, and the state of the process it comes from.

    ``parameters`` are the positions of inputs that are parameters. ``settings_key`` is what
    `inductor_cache.settings_key` gives where the graph comes from: where it is compiled, it must
    be the same.
    """

    inputs: list[_Input]
    calls: list[_Call]
    results: Any
    parameters: list[int]
    options: dict[str, Any]
    region_name: str | None
    settings: bytes
    state: process_state.ProcessState
    cache_folder: str
    settings_key: str
    gpu: int | None

    def compile(self) -> dict[str, Any]:
        """Compile it here, into FxGraphCache; return what the other process must know."""
        process_state.take_over(self.state)
        inductor_cache.load_settings(self.settings)
        inductor_cache.use_cache_folder(self.cache_folder)
        if self.gpu is not None:
            torch.cuda.set_device(self.gpu)
        graph, fakes, fake_mode = self.graph()
        if inductor_cache.settings_key(fakes[0].device, {}) != self.settings_key:
            return {"error": "inductor's settings or torch's global state can't be sent there"}
        with inductor.noting_cache_answers() as answers:
            compiled = inductor.inductor_compile(
                graph,
                fakes,
                fake_mode,
                self.parameters,
                len(self.results),
                {},
                self.region_name,
            )
        key = inductor_cache.key_of(compiled)
        answer = answers[-1] if answers else None
        if key is None or answer is None:
            why = answer.reason if answer else "it is off"
            return {"error": f"FxGraphCache does not take it: {why}"}
        return {"key": key, "cache": answer.use}

    def graph(self) -> tuple[fx.Graph, list[torch.Tensor], Any]:
        """Build the graph, fake tensors like its inputs, and their mode."""
        fake_mode = tracing.new_fake_mode()
        graph = tracing.new_graph()
        nodes: dict[str, fx.Node] = {}
        fakes = []
        for name, metadata in self.inputs:
            fake = fake_graphs.fake_of(metadata, fake_mode)
            node = nodes[name] = graph.placeholder(name)
            node.meta["val"] = fake
            fakes.append(fake)
        for name, target, args, kwargs in self.calls:
            nodes[name] = graph.create_node(
                "call_function", target, _placed(args, nodes), _placed(kwargs, nodes), name
            )
        graph.output(_placed(self.results, nodes))
        fake_graphs.propagate(graph, fakes, fake_mode)
        return graph, fakes, fake_mode


def job_by_parts(
    aten: AtenGraph, compiler: KnownCompiler, parameters: Sequence[int]
) -> Iterator[bytes]:
    """Yield what `read` makes a `Job` of, with little work from one part to the next.

    Raises what pickle raises where something can't be sent.
    """
    settings_key = inductor_cache.settings_key(aten.fakes[0].device, compiler.options)
    yield b""
    (output,) = aten.graph.find_nodes(op="output")
    yield _pickled(
        Job(
            [],
            [],
            _named(output.args[0]),
            list(parameters),
            compiler.options,
            compiler.region_name,
            inductor_cache.saved_settings(compiler.options),
            process_state.state(),
            inductor_cache.cache_folder(),
            settings_key,
            torch.cuda.current_device() if gpu_of(aten.fakes) is not None else None,
        )
    )
    # Each part is a pickle of its own.
    inputs = zip(aten.graph.find_nodes(op="placeholder"), aten.fakes, strict=True)
    described = (_Input(node.name, metadata_of(fake)) for node, fake in inputs)
    while part := list(islice(described, _PART)):
        yield _pickled(part)
    calls = (
        _Call(node.name, node.target, _named(node.args), _named(node.kwargs))
        for node in aten.graph.nodes
        if node.op == "call_function"
    )
    while called := list(islice(calls, _PART)):
        yield _pickled(called)


def gpu_of(tensors: Iterable[torch.Tensor]) -> torch.device | None:
    """Return the GPU that the first tensor on one is on."""
    return next((each.device for each in tensors if each.device.type == "cuda"), None)


def read(job: bytes) -> Any:
    """Return a `Job` or a `dynamo_job.DynamoJob`.

    Raises `UnknownOperatorError` for an operator that this process does not have.
    """
    file = BytesIO(job)
    found = pickle.load(file)
    while file.tell() < len(job):
        part = pickle.load(file)
        (found.inputs if type(part[0]) is _Input else found.calls).extend(part)
    return found


def _pickled(value: Any) -> bytes:
    file = BytesIO()
    GraphPickler(file).dump(value)
    return file.getvalue()


class UnknownOperatorError(Exception):
    """An operator that a program registered, or a library that is not imported here."""


class GraphPickler(pickle.Pickler):
    """Writes operators and memory formats by their names."""

    def reducer_override(self, value: Any) -> Any:
        if tracing.is_overload(value):
            return _operator, tracing.overload_name(value)
        if isinstance(value, torch.memory_format):
            # pickle would name the first module it finds that has `torch`: perhaps the program's.
            return _memory_format, (str(value).removeprefix("torch."),)
        if isinstance(value, FunctionType) and "<locals>" in value.__qualname__:
            # Such as `torch.nn.functional.max_pool2d`, which a function made
            module, name = sys.modules.get(value.__module__ or ""), value.__name__
            if getattr(module, name, None) is value:
                return getattr, (module, name)
        if isinstance(value, ModuleType):
            return import_module, (value.__name__,)
        return NotImplemented


def _memory_format(name: str) -> torch.memory_format:
    found: torch.memory_format = getattr(torch, name)
    return found


def _operator(namespace: str, operator: str, overload: str) -> Any:
    try:
        return tracing.overload_named(namespace, operator, overload)
    except AttributeError:
        raise UnknownOperatorError(f"{namespace}::{operator}") from None


def _named(value: Any) -> Any:
    if isinstance(value, fx.Node):
        return _Node(value.name)
    if isinstance(value, (list, tuple)):
        plain = tuple if isinstance(value, tuple) else list
        return plain(_named(item) for item in value)
    if isinstance(value, dict):
        return {name: _named(item) for name, item in value.items()}
    return value


def _placed(value: Any, nodes: dict[str, fx.Node]) -> Any:
    if type(value) is _Node:
        return nodes[value.name]
    if isinstance(value, (list, tuple)):
        return type(value)(_placed(item, nodes) for item in value)
    if isinstance(value, dict):
        return {name: _placed(item, nodes) for name, item in value.items()}
    return value
