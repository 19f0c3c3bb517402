"""Tracing to ATen as AOTAutograd does: fake tensors, functionalization, decompositions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple

import torch
from torch import fx
from torch._C._dynamo.guards import GlobalStateGuard
from torch._dispatch.python import enable_python_dispatcher
from torch._dynamo import compiled_autograd as torch_engine
from torch._dynamo.utils import preserve_rng_state
from torch._functorch import config as functorch_config
from torch._functorch._aot_autograd.functional_utils import (
    from_fun,
    has_data_mutation,
    has_metadata_mutation,
    to_fun,
)
from torch._ops import OpOverload
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
    UnsupportedFakeTensorException,
    UnsupportedOperatorException,
)
from torch._subclasses.functional_tensor import FunctionalTensorMode
from torch.fx.experimental.proxy_tensor import (
    ProxyTorchDispatchMode,
    PythonKeyTracer,
    TorchFunctionMetadataMode,
    decompose,
    get_proxy_slot,
    track_tensor_tree,
)
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.fx.passes.shape_prop import _extract_tensor_metadata


def new_fake_mode() -> FakeTensorMode:
    """Fake tensors of static sizes, as AOTAutograd has them for a graph without symbols."""
    return FakeTensorMode(
        shape_env=ShapeEnv(), static_shapes=True, allow_non_fake_inputs=False, export=False
    )


def fake_like(tensor: torch.Tensor, fake_mode: FakeTensorMode) -> torch.Tensor:
    """Return a fake tensor with the metadata of a plain one.

    Not by ``from_tensor``, which makes a fake of its base and its ``.grad`` as well, and of one
    tensor only once, however much that has changed since.
    """
    elements = torch.empty(
        tensor.untyped_storage().nbytes() // tensor.itemsize, dtype=tensor.dtype, device="meta"
    )
    elements = elements.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())
    elements.requires_grad_(tensor.requires_grad)  # the fake tensor does as its elements do
    return FakeTensor(fake_mode, elements, tensor.device)


def again(fake: torch.Tensor) -> torch.Tensor:
    """Another fake tensor like ``fake``."""
    assert isinstance(fake, FakeTensor)
    return fake_like(fake, fake.fake_mode)


def is_subclass(tensor: torch.Tensor) -> bool:
    """Return whether ``tensor`` is of a class that may give operators a meaning of its own."""
    return type(tensor) not in (torch.Tensor, torch.nn.Parameter, FakeTensor)


def modes_of_tracing() -> tuple[Any, ...]:
    """Global state that operators ask for while they are traced."""
    return (
        GlobalStateGuard().__getstate__(),
        torch._C._get_default_device(),
        functorch_config.functionalize_rng_ops,
    )


class TracedCall(NamedTuple):
    """The ATen graph of one call: its inputs, its calls and what it gives, as nodes.

    A result that was not computed by the calls, but is a constant, is None.
    """

    inputs: list[fx.Node]
    calls: list[fx.Node]
    results: list[fx.Node | None]


class CallTracer:
    """Traces calls one by one, functionalized and decomposed as AOTAutograd does.

    What tracing needs is set up once, as for one long graph. To be used within `quiet`.
    """

    def __init__(self, fake_mode: FakeTensorMode, decompositions: dict[Any, Any] | None) -> None:
        self._tracer = tracer = PythonKeyTracer()
        tracer.root = torch.nn.Module()
        tracer.graph = fx.Graph(tracer_cls=PythonKeyTracer)
        tracer.tensor_attrs = {}
        self._fake_mode = fake_mode
        self._decompositions = decompositions
        self._proxies = _NotingProxies(
            tracer,
            "real",
            # The fake mode raises an error that says more.
            _error_on_data_dependent_ops=False,
        )

    def trace(
        self,
        call: Callable[[Sequence[torch.Tensor]], Sequence[torch.Tensor]],
        fakes: Sequence[torch.Tensor],
    ) -> TracedCall:
        """Trace ``call``, which gets tensors like ``fakes`` and may be called twice."""
        self._proxies.has_repeated = False
        traced = self._trace(call, fakes)
        if self._proxies.has_repeated:
            # AOTAutograd runs a graph once for its metadata first, and fake tensors remember what
            # an operator gave: two results that are one tensor then are two from then on.
            traced = self._trace(call, fakes)
        return traced

    def _trace(
        self,
        call: Callable[[Sequence[torch.Tensor]], Sequence[torch.Tensor]],
        fakes: Sequence[torch.Tensor],
    ) -> TracedCall:
        tracer = self._tracer
        # Copies, because nodes of one template share a fake tensor, and a tracer takes one tensor
        # for one value.
        fakes = [again(fake) for fake in fakes]
        inputs = [tracer.create_proxy("placeholder", "arg", (), {}) for _ in fakes]
        track_tensor_tree(fakes, inputs, constant=None, tracer=tracer)
        nodes = tracer.graph.nodes
        begin = len(nodes)
        with (
            self._fake_mode,
            enable_python_dispatcher(),
            FunctionalTensorMode(_allow_token_discovery=True),
            TorchFunctionMetadataMode(tracer),
            self._proxies,
            decompose(self._decompositions),
            # Functionalization in Python stands above the one in C++.
            torch._C._ExcludeDispatchKeyGuard(
                torch._C.DispatchKeySet(torch._C.DispatchKey.Functionalize)
            ),
        ):
            returned = call([to_fun(fake) for fake in fakes])
            end = len(nodes)
            results = [from_fun(tensor) for tensor in returned]
        if len(nodes) != end:
            raise LateViewError
        calls = list(islice(reversed(nodes), end - begin))[::-1]
        return TracedCall([each.node for each in inputs], calls, [self._node(r) for r in results])

    def _node(self, result: Any) -> fx.Node | None:
        slot = get_proxy_slot(result, self._tracer, None)
        return None if slot is None else slot.proxy.node


class _NotingProxies(ProxyTorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes whether an operator gave one tensor twice. Refuses operators that take operators.

    They look for their rules by the very class of a mode, and have none for this one.
    """

    has_repeated = False
    supports_higher_order_operators = True

    def __torch_dispatch__(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(func, torch._ops.HigherOrderOperator):
            raise HigherOrderError(str(func))
        returned = super().__torch_dispatch__(func, *args, **kwargs)
        if isinstance(returned, (tuple, list)):
            tensors = [each for each in returned if each is not None]
            self.has_repeated |= len({id(each) for each in tensors}) < len(tensors)
        return returned


@contextmanager
def quiet() -> Iterator[None]:
    """Tracing within leaves no trace in the random state, and starts no threads."""
    with torch.autograd.set_multithreading_enabled(False), preserve_rng_state():
        yield


class HigherOrderError(Exception):
    """A call comes to an operator that takes operators or graphs."""


class LateViewError(Exception):
    """A result is a view that functionalization makes again where it is next used.

    That happens to views of what the call itself wrote to. In a graph that is traced as a whole
    the view stands before its next use, and not at the end of the call.
    """


def is_changed(functional: torch.Tensor) -> bool:
    return bool(has_data_mutation(functional))


def has_other_metadata(functional: torch.Tensor, fake: torch.Tensor) -> bool:
    return bool(has_metadata_mutation(functional, fake, check_only_storage_mutation=False))


UNTRACEABLE: tuple[type[Exception], ...] = (
    DataDependentOutputException,
    DynamicOutputShapeException,
    UnsupportedFakeTensorException,
    UnsupportedOperatorException,
)


def new_graph() -> fx.Graph:
    """Return an empty graph that says of itself that AOTAutograd traced it."""
    return fx.Graph(tracer_cls=PythonKeyTracer)


def input_name(index: int) -> str:
    """Return AOTAutograd's name for the ``index``-th input of an inference graph."""
    return f"arg{index}_1"


def call_name(target: Any) -> str:
    """Return AOTAutograd's name for a call of ``target``, before a number makes it unique."""
    return str(target.overloadpacket.__name__) if is_overload(target) else "getitem"


def is_overload(target: Any) -> bool:
    """Return whether ``target`` is an operator as it stands in an ATen graph."""
    return isinstance(target, OpOverload)


def overload_name(overload: Any) -> tuple[str, str, str]:
    """Return namespace, operator and overload, of which `overload_named` makes it again."""
    namespace, _, operator = overload._schema.name.partition("::")
    return namespace, operator, overload._overloadname


def overload_named(namespace: str, operator: str, overload: str) -> Any:
    """Return an operator by its name. Raises AttributeError if it isn't registered here."""
    return getattr(getattr(getattr(torch.ops, namespace), operator), overload)


def viewed_argument(operator: Any) -> int | None:
    """Find the argument that ``operator``'s result shares memory with; None if it has its own."""
    schema = operator._schema
    if all(returned.alias_info is None for returned in schema.returns):
        return None
    return next(index for index, each in enumerate(schema.arguments) if each.alias_info is not None)


def is_lasting(target: Any) -> bool:
    """Return whether ``target`` is one object in all graphs: its templates may then be kept."""
    return isinstance(target, (torch_engine.Op, OpOverload)) or target is torch.add


def tensor_metadata(fake: torch.Tensor) -> Any:
    return _extract_tensor_metadata(fake)
