"""ATen graphs of single calls: traced once for each distinct call, then copied.

AOTAutograd traces a whole captured graph under fake tensors, functionalization and the backend's
decompositions. What it writes for one call depends on the call's target and constants, on the
metadata of its tensors, on which of them are one and the same, and on a few global modes. It does
not depend on the rest of the graph as long as no call changes a tensor in place that another one
reads. So a call is traced the same way, alone, and the result is kept: a model of a hundred equal
layers needs as many templates as one of two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
from torch import fx

from ca_engine.compat import graph_calls, tracing
from ca_engine.lowering.refusal import RefusalError

# More distinct calls than any model has; a program whose sizes change for ever has more.
MAX_TEMPLATES = 4096

# Constants that are equal if they print alike; floats so as well, -0.0 and NaN included.
_PLAIN = (
    type(None),
    bool,
    int,
    float,
    complex,
    str,
    torch.dtype,
    torch.device,
    torch.layout,
    torch.memory_format,
)


class Traced(NamedTuple):
    """A tensor of the ATen graph: the node that computes it, and a fake tensor like it.

    ``metadata`` is the fake tensor's, and None if it is not one tensor but several.
    """

    node: fx.Node
    fake: Any
    metadata: tuple[Any, ...] | None


class FromInput(NamedTuple):
    """A value of a template that is its ``number``-th input."""

    number: int


class FromNode(NamedTuple):
    """A value of a template that its ``number``-th call computes."""

    number: int


@dataclass
class TemplateCall:
    """One ATen call; ``args`` and ``kwargs`` hold `FromInput` and `FromNode` for tensors.

    ``name`` is AOTAutograd's for it: the entries of inductor's cache are then the same, whichever
    way a graph came. ``metadata`` is that of what it gives, if that is a tensor.
    """

    name: str
    target: Any
    args: Any
    kwargs: Any
    meta: dict[str, Any]
    metadata: tuple[Any, ...] | None


@dataclass
class Template:
    """The ATen graph of one call. ``result`` is what the call returns, with `FromInput` and
    `FromNode` for tensors; ``changed`` maps an input that is written to its new value. Results
    that the call made and then wrote to are ``written``.
    """

    calls: list[TemplateCall]
    result: Any
    changed: dict[int, Any] = field(default_factory=dict)
    written: frozenset[Any] = frozenset()

    def views(self, number: int) -> bool:
        """Return whether a call of it makes a view of its ``number``-th input."""
        return any(
            (viewed := tracing.viewed_argument(call.target)) is not None
            and call.args[viewed] == FromInput(number)
            for call in self.calls
            if tracing.is_overload(call.target)
        )


def is_plain(tensor: torch.Tensor) -> bool:
    """Return whether ``tensor`` is one that the metadata of `metadata_of` describes fully."""
    return (
        not tracing.is_subclass(tensor)
        and tensor.layout is torch.strided
        and not tensor.is_conj()
        and not tensor.is_neg()
        and not tensor.is_quantized
    )


def metadata_of(tensor: torch.Tensor) -> tuple[Any, ...]:
    """Return all of a plain fake tensor that an operator can see without computing."""
    return (
        tuple(tensor.shape),
        tensor.stride(),
        tensor.storage_offset(),
        tensor.dtype,
        tensor.device,
        tensor.requires_grad,
        tensor.untyped_storage().nbytes(),
    )


class Templates:
    """The templates of one backend. ``decompositions`` are those it gives to AOTAutograd."""

    def __init__(self, decompositions: dict[Any, Any] | None) -> None:
        self._decompositions = decompositions
        self.fake_mode = tracing.new_fake_mode()
        self._kept: dict[Any, Template] = {}
        self._modes: Any = None
        self._tracer: tracing.CallTracer | None = None

    def fakes_of(self, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        return [tracing.fake_like(each, self.fake_mode) for each in inputs]

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Let templates be asked for within. Global state must not change meanwhile."""
        modes = tracing.modes_of_tracing()
        if modes != self._modes:
            self._modes = modes
            self._kept.clear()
        try:
            with tracing.quiet():
                yield
        finally:
            self._tracer = None

    def template(
        self,
        target: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        *,
        keep: bool,
    ) -> tuple[Template, list[Traced]]:
        """Return the template for a call, and the tensors that are its inputs.

        ``args`` and ``kwargs`` hold `Traced` for tensors. With ``keep`` it may come from an
        earlier call and serve later ones; a target that is made anew for each graph is not kept.
        Raises `RefusalError` if the call can't be traced alone.
        """
        tensors: list[Traced] = []
        numbers: dict[fx.Node, int] = {}
        shape = _shape_of((args, kwargs), tensors, numbers)
        if not keep:
            return self._trace(target, args, kwargs, tensors, numbers), tensors
        key = (target, shape, tuple([each.metadata for each in tensors]))
        template = self._kept.get(key)
        if template is None:
            if len(self._kept) >= MAX_TEMPLATES:
                self._kept.clear()
            template = self._kept[key] = self._trace(target, args, kwargs, tensors, numbers)
        return template, tensors

    def _trace(
        self,
        target: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        tensors: Sequence[Traced],
        numbers: dict[fx.Node, int],
    ) -> Template:
        result: Any = None
        changed: list[int] = []
        written: list[int] = []
        run = graph_calls.cpp_function(target)

        def call(functional: Sequence[torch.Tensor]) -> list[torch.Tensor]:
            nonlocal result
            changed.clear()
            written.clear()
            own_args, own_kwargs = _with_tensors((args, kwargs), functional, numbers)
            try:
                returned = run(*own_args, **own_kwargs)
            except (RefusalError, tracing.HigherOrderError, tracing.LateViewError):
                raise
            except Exception as error:
                # The program's own, which it gets from the graph that Dynamo compiles.
                raise RefusalError("untraceable", f"{target}: {error}") from error
            found: list[torch.Tensor] = []
            result = _without_tensors(returned, found)
            inputs = {id(tensor) for tensor in functional}
            for index, tensor in enumerate(found):
                if id(tensor) not in inputs and tracing.is_changed(tensor):
                    written.append(index)
            for index, tensor in enumerate(functional):
                if tracing.has_other_metadata(tensor, tensors[index].fake):
                    raise RefusalError("changes_metadata", str(target))
                if tracing.is_changed(tensor):
                    changed.append(index)
                    found.append(tensor)
            return found

        if self._tracer is None:
            self._tracer = tracing.CallTracer(self.fake_mode, self._decompositions)
        try:
            traced = self._tracer.trace(call, [each.fake for each in tensors])
        except tracing.LateViewError:
            raise RefusalError("late_view", str(target)) from None
        except tracing.HigherOrderError as error:
            raise RefusalError("higher_order_operator", str(error)) from None
        except tracing.UNTRACEABLE as error:
            raise RefusalError("untraceable", f"{target}: {error}") from error
        return _template_of(traced, result, changed, written, str(target))


def _shape_of(value: Any, tensors: list[Traced], numbers: dict[fx.Node, int]) -> Any:
    """Return ``value`` as a key: tensors become their number, the same one if they are one."""
    if type(value) is Traced:
        number = numbers.get(value.node)
        if number is None:
            number = numbers[value.node] = len(tensors)
            tensors.append(value)
        return FromInput(number)
    if isinstance(value, (list, tuple)):
        return (type(value), *(_shape_of(item, tensors, numbers) for item in value))
    if isinstance(value, dict):
        return (
            dict,
            *((name, _shape_of(item, tensors, numbers)) for name, item in value.items()),
        )
    if type(value) in _PLAIN:
        return (type(value), repr(value))
    if tracing.is_overload(value):
        return value
    raise RefusalError("constant", type(value).__name__)


def _with_tensors(
    value: Any, functional: Sequence[torch.Tensor], numbers: dict[fx.Node, int]
) -> Any:
    if type(value) is Traced:
        return functional[numbers[value.node]]
    if isinstance(value, (list, tuple)):
        return type(value)([_with_tensors(item, functional, numbers) for item in value])
    if isinstance(value, dict):
        return {name: _with_tensors(item, functional, numbers) for name, item in value.items()}
    return value


class _Position(NamedTuple):
    """A tensor among those that a call returned."""

    number: int


def _without_tensors(value: Any, found: list[torch.Tensor]) -> Any:
    if isinstance(value, torch.Tensor):
        found.append(value)
        return _Position(len(found) - 1)
    if isinstance(value, (list, tuple)):
        return [_without_tensors(item, found) for item in value]
    if value is None or type(value) is int:
        return value  # an AOT region passes on its sizes
    raise RefusalError("result", type(value).__name__)


def _template_of(
    traced: tracing.TracedCall,
    result: Any,
    changed: Sequence[int],
    written: Sequence[int],
    target: str,
) -> Template:
    where: dict[fx.Node, FromInput | FromNode] = {
        node: FromInput(number) for number, node in enumerate(traced.inputs)
    }
    calls: list[TemplateCall] = []
    for node in traced.calls:
        if node.op != "call_function":
            # A constant tensor, which would have to be one for the whole graph.
            raise RefusalError("constant", target)
        _refuse_special(node)
        args, kwargs = fx.map_arg((node.args, node.kwargs), where.__getitem__)
        where[node] = FromNode(len(calls))
        value = node.meta.get("val")
        metadata = metadata_of(value) if isinstance(value, torch.Tensor) else None
        name = tracing.call_name(node.target)
        calls.append(TemplateCall(name, node.target, args, kwargs, node.meta, metadata))
    if None in traced.results:
        raise RefusalError("constant", target)
    values = [where[node] for node in traced.results if node is not None]
    plain = len(values) - len(changed)
    return Template(
        calls,
        _placed(result, values),
        dict(zip(changed, values[plain:], strict=True)),
        frozenset(values[index] for index in written),
    )


def _refuse_special(node: fx.Node) -> None:
    target, value = node.target, node.meta.get("val")
    if isinstance(value, torch.Tensor) and not is_plain(value):
        raise RefusalError("tensor_kind", f"{target} gives a tensor of layout {value.layout}")
    is_getitem = getattr(target, "__name__", "") == "getitem"
    if not (is_getitem or tracing.is_overload(target)):
        raise RefusalError("higher_order_operator", str(target))


def _placed(result: Any, values: Sequence[Any]) -> Any:
    if isinstance(result, _Position):
        return values[result.number]
    if isinstance(result, list):
        return [_placed(item, values) for item in result]
    return result
