"""A graph of Dynamo's on its way to the process that compiles it.

Its nodes are functions of torch's, methods, constants and graphs within it. Inputs, and the
tensors that a graph holds, are sent as metadata: nothing that inductor compiles depends on their
values. Whether all that matters was sent is not decided here: the process that asks compares the
key that AOTAutogradCache has for the graph there with its own.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from io import BytesIO
from types import FunctionType
from typing import Any, NamedTuple

import torch
from torch import fx, nn

from ca_engine.compat import (
    dynamo_graphs,
    fake_graphs,
    inductor,
    inductor_cache,
    process_state,
    tracing,
)
from ca_engine.compat.dynamo_graphs import GraphRequest
from ca_engine.lowering.background.job import GraphPickler
from ca_engine.lowering.templates import metadata_of


class CannotSendError(Exception):
    """The graph can't be compiled elsewhere; the text says why."""


class _Input(NamedTuple):
    """An input of the graph; ``value`` is that of a number."""

    metadata: tuple[Any, ...] | None
    is_parameter: bool
    is_leaf: bool
    value: Any


class _Held(NamedTuple):
    """A tensor that a module holds."""

    name: str
    metadata: tuple[Any, ...]
    is_parameter: bool


@dataclass(frozen=True)
class _Ref:
    """Stands for the node of that name."""

    name: str


class _No(Enum):
    EXAMPLE = "a node without a value"


_NO_EXAMPLE = _No.EXAMPLE


class _Entry(NamedTuple):
    """A node; ``example`` is the metadata of its value, ``source`` where guards find an input."""

    op: str
    name: str
    target: Any
    args: Any
    kwargs: Any
    type: Any
    example: Any
    is_static: str | None
    source: Any


@dataclass(frozen=True)
class _Metadata:
    """Of a tensor, as `templates.metadata_of`."""

    of: tuple[Any, ...]


@dataclass(frozen=True)
class _Module:
    """A graph module, with what it holds in its order; ``sources`` are of its parameters.

    ``marks`` are what Dynamo notes on a graph within another.
    """

    entries: list[_Entry]
    held: list[_Held]
    children: list[tuple[str, _Module]]
    is_training: bool
    sources: dict[str, Any] | None
    marks: dict[str, Any]
    is_lazy: bool


@dataclass(frozen=True)
class DynamoJob:
    """A graph of Dynamo's, with the state of the process that it comes from.

    ``frees`` is whether a backward frees what was saved for it, and may overwrite it. ``key`` is
    that of AOTAutogradCache there, None if it has none; ``settings_key`` is that of
    `inductor_cache.settings_key`, ``importer`` that of `process_state.first_importer`.
    """

    module: _Module
    inputs: list[_Input]
    with_symbols: bytes | None
    options: dict[str, Any]
    region_name: str | None
    settings: bytes
    functorch_settings: bytes
    state: process_state.ProcessState
    ambient: process_state.Ambient
    cache_folder: str
    frees: bool
    key: str | None
    settings_key: str
    importer: str

    def pickled(self) -> bytes:
        """Write it down. Raises `CannotSendError`."""
        file = BytesIO()
        try:
            _OfTorchPickler(file).dump(self)
        except CannotSendError:
            raise
        except Exception as error:
            # Whatever the pickling of a setting of the program's raises.
            text = " ".join(str(error).split())
            raise CannotSendError(f"{type(error).__name__}: {text}") from None
        return file.getvalue()

    def compile(self) -> dict[str, Any]:
        """Compile it here, into inductor's caches; return what the other process must know."""
        process_state.take_over(self.state)
        process_state.put_first(self.importer)
        inductor_cache.load_settings(self.settings)
        inductor_cache.load_functorch_settings(self.functorch_settings)
        inductor_cache.use_cache_folder(self.cache_folder)
        mode = dynamo_graphs.new_fake_mode()
        with dynamo_graphs.as_if_dynamo_asked(mode), process_state.within(self.ambient):
            # AOTAutograd finds the fake tensors while they live.
            asked, fakes = self.built(mode)
            if (why := self._differs(asked)) is not None:
                return {"error": why}
            known = dynamo_graphs.guards_on_items(fakes, mode)
            with inductor.noting_cache_answers() as answers:
                try:
                    # Ranks share a graph: the second one finds what the first one compiled.
                    with inductor_cache.one_at_a_time(self.key):
                        dynamo_graphs.compile_whole(asked, frees=self.frees)
                except MemoryError:
                    raise
                except Exception as error:
                    text = " ".join(str(error).split())
                    return {"compile_error": f"{type(error).__name__}: {text[:1000]}"}
            if dynamo_graphs.guards_on_items(fakes, mode) != known:
                return {"compile_error": "inductor's graph is for one value of a number"}
        bypasses = [each.reason for each in answers if each.use == "bypass"]
        if bypasses:
            return {"error": f"FxGraphCache does not take it: {bypasses[0]}"}
        if self.key is not None and not dynamo_graphs.is_kept(self.key):
            return {"error": "AOTAutogradCache did not keep it"}
        is_new = any(each.use == "miss" for each in answers)
        return {"key": self.key or "", "cache": "miss" if is_new else "hit"}

    def take_over_settings(self) -> None:
        """Set the settings of when Dynamo asked for the graph, for this context."""
        if inductor_cache.saved_settings({}) != self.settings:
            inductor_cache.load_settings(self.settings, alone=False)
        if inductor_cache.saved_functorch_settings() != self.functorch_settings:
            inductor_cache.load_functorch_settings(self.functorch_settings)

    def built(self, mode: Any) -> tuple[GraphRequest, list[Any]]:
        """Build the graph, and its inputs' fake tensors in ``mode``, which are like those there."""
        if self.with_symbols is None:
            fakes = [_built_input(each, mode) for each in self.inputs]
        else:
            fakes = dynamo_graphs.read_with_symbols(self.with_symbols, mode)
        inputs = [
            fake if each.metadata is None else _memory(each.metadata)
            for each, fake in zip(self.inputs, fakes, strict=True)
        ]
        dynamo_graphs.stand_for(inputs, fakes, mode)
        module = _built(self.module, mode)
        return GraphRequest(module, inputs, self.options, self.region_name), fakes

    def _differs(self, asked: GraphRequest) -> str | None:
        if self.key is None:
            is_same = _settings_key(self.options) == self.settings_key
            return None if is_same else "its settings can't be sent there"
        try:
            key = dynamo_graphs.key_of(asked)
        except dynamo_graphs.NoKeyError as error:
            return f"AOTAutogradCache does not take it there: {error}"
        return None if key == self.key else "it is another graph there, or has other settings"


# Whose functions and classes may be named: reading a job imports their modules, and a program's
# own would run once more.
_NAMED = sys.stdlib_module_names | {"ca_engine", "einops", "numpy", "sympy", "torch"}


class _OfTorchPickler(GraphPickler):
    """Raises `CannotSendError` for a function or class that is the program's."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, (FunctionType, type)):
            module = value.__module__ or ""
            if module == "__main__" or module.partition(".")[0] not in _NAMED:
                raise CannotSendError(f"{module}.{value.__qualname__}, which is the program's")
        return super().reducer_override(value)


def describe(asked: GraphRequest, fakes: Sequence[Any], key: str | None) -> DynamoJob:
    """Describe a graph, with the fake tensors of its inputs. Raises `CannotSendError`."""
    changing = any(dynamo_graphs.has_symbols(each) for each in fakes)
    if changing and key is None:
        # AOTAutograd would look at the sizes once more, where nobody checks what it finds.
        raise CannotSendError("sizes that change, of a graph that AOTAutogradCache does not take")
    return DynamoJob(
        _module(asked.module),
        [_input(each) for each in fakes],
        dynamo_graphs.with_symbols(fakes) if changing else None,
        asked.options,
        asked.region_name,
        inductor_cache.saved_settings({}),
        inductor_cache.saved_functorch_settings(),
        process_state.state(),
        process_state.ambient(),
        inductor_cache.cache_folder(),
        True,
        key,
        _settings_key(asked.options),
        process_state.first_importer(),
    )


def _settings_key(options: dict[str, Any]) -> str:
    return inductor_cache.settings_key(torch.device("cpu"), options)


def _input(fake: Any) -> _Input:
    if not isinstance(fake, torch.Tensor):
        if isinstance(fake, torch.SymInt):
            return _Input(None, False, True, None)
        if type(fake) in (int, float, bool, type(None)):
            return _Input(None, False, True, fake)
        raise CannotSendError(f"an input of type {type(fake).__name__}")
    return _Input(_metadata(fake), dynamo_graphs.is_parameter(fake), fake.is_leaf, None)


def _built_input(sent: _Input, mode: Any) -> Any:
    if sent.metadata is None:
        return sent.value
    return dynamo_graphs.fake_input(
        sent.metadata, parameter=sent.is_parameter, leaf=sent.is_leaf, mode=mode
    )


def _metadata(tensor: torch.Tensor) -> tuple[Any, ...]:
    """Describe a tensor. Raises `CannotSendError` where metadata does not describe it."""
    if tracing.is_subclass(tensor):
        raise CannotSendError(f"a tensor of class {type(tensor).__name__}")
    if tensor.layout is not torch.strided or tensor.is_quantized:
        raise CannotSendError(f"a tensor of layout {tensor.layout}")
    _refuse_device(tensor)
    if tensor.is_conj() or tensor.is_neg() or tensor.is_inference():
        raise CannotSendError("a conjugated, negated or inference tensor")
    return metadata_of(dynamo_graphs.with_hints(tensor))


def _refuse_device(tensor: torch.Tensor) -> None:
    if tensor.device.type != "cpu":
        raise CannotSendError(f"device {tensor.device.type}")


def _module(module: nn.Module) -> _Module:
    if not isinstance(module, fx.GraphModule):
        raise CannotSendError(f"a module of class {type(module).__name__}")
    parameters = module.named_parameters(recurse=False, remove_duplicate=False)
    buffers = module.named_buffers(recurse=False, remove_duplicate=False)
    held = [
        *(_Held(name, _metadata(each), is_parameter=True) for name, each in parameters),
        *(_Held(name, _metadata(each), is_parameter=False) for name, each in buffers),
    ]
    return _Module(
        [_entry(node) for node in module.graph.nodes],
        held,
        [(name, _module(child)) for name, child in module.named_children()],
        module.training,
        dynamo_graphs.sources_of_parameters(module),
        dynamo_graphs.marks(module),
        dynamo_graphs.is_lazy(module),
    )


def _entry(node: fx.Node) -> _Entry:
    def refer(other: fx.Node) -> Any:
        return _Ref(other.name)

    return _Entry(
        node.op,
        node.name,
        node.target,
        fx.map_arg(node.args, refer),
        fx.map_arg(node.kwargs, refer),
        node.type,
        _example(node.meta["example_value"]) if "example_value" in node.meta else _NO_EXAMPLE,
        dynamo_graphs.kind_of_static_input(node),
        dynamo_graphs.source_of(node),
    )


def _example(value: Any) -> Any:
    """Describe a node's value, as far as passes in front of AOTAutograd look at it."""
    if isinstance(value, torch.Tensor):
        _refuse_device(value)
        # Within a functorch transform it may be of a kind of its own.
        with suppress(CannotSendError, NotImplementedError, RuntimeError):
            return _Metadata(_metadata(value))
    if isinstance(value, (tuple, list)):
        return [_example(each) for each in value]
    return None


def _built(sent: _Module, mode: Any) -> fx.GraphModule:
    root = nn.Module()
    for name, child in sent.children:
        root.add_module(name, _built(child, mode))
    for held in sent.held:
        tensor = _memory(held.metadata)
        if held.is_parameter:
            root.register_parameter(held.name, nn.Parameter(tensor, tensor.requires_grad))
        else:
            root.register_buffer(held.name, tensor)
    graph = fx.Graph()
    nodes: dict[str, fx.Node] = {}

    def place(value: Any) -> Any:
        return nodes[value.name] if type(value) is _Ref else value

    for entry in sent.entries:
        args = fx.node.map_aggregate(entry.args, place)
        kwargs: Any = fx.node.map_aggregate(entry.kwargs, place)
        node = graph.create_node(entry.op, entry.target, args, kwargs, entry.name, entry.type)
        nodes[entry.name] = node
        if entry.example is not _NO_EXAMPLE:
            node.meta["example_value"] = _built_example(entry.example, mode)
        dynamo_graphs.describe(node, entry.is_static, entry.source)
    return dynamo_graphs.graph_module(
        root,
        graph,
        sent.sources,
        sent.marks,
        is_training=sent.is_training,
        is_lazy=sent.is_lazy,
    )


def _memory(metadata: tuple[Any, ...]) -> torch.Tensor:
    """Return a tensor like one that the other process has, with memory that nobody touches."""
    shape, stride, offset, dtype, device, requires_grad, nbytes = metadata
    elements = torch.empty(nbytes // dtype.itemsize, dtype=dtype, device=device)
    return elements.as_strided(shape, stride, offset).requires_grad_(requires_grad)


def _built_example(sent: Any, mode: Any) -> Any:
    if isinstance(sent, _Metadata):
        return fake_graphs.fake_of(sent.of, mode)
    return None if sent is None else tuple(_built_example(each, mode) for each in sent)
