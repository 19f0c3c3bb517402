"""Tracing to ATen as AOTAutograd does: fake tensors, functionalization, decompositions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

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
from torch.fx._lazy_graph_module import _use_lazy_graph_module
from torch.fx.experimental.proxy_tensor import get_proxy_mode, make_fx
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.fx.passes.shape_prop import _extract_tensor_metadata


def new_fake_mode() -> FakeTensorMode:
    """Fake tensors of static sizes, as AOTAutograd has them for a graph without symbols."""
    return FakeTensorMode(
        shape_env=ShapeEnv(), static_shapes=True, allow_non_fake_inputs=False, export=False
    )


def fake_like(tensor: torch.Tensor, fake_mode: FakeTensorMode) -> torch.Tensor:
    """A fake tensor with the metadata of a plain one.

    Not by ``from_tensor``, which makes a fake of its base and its ``.grad`` as well, and of one
    tensor only once, however much that has changed since.
    """
    size, stride, offset = tensor.shape, tensor.stride(), tensor.storage_offset()
    options: Any = {"dtype": tensor.dtype, "device": tensor.device}
    nbytes = tensor.untyped_storage().nbytes()
    with fake_mode:
        fake = torch.empty_strided(size, stride, **options)
        if offset or fake.untyped_storage().nbytes() != nbytes:
            elements = torch.empty(nbytes // tensor.itemsize, **options)
            fake = elements.as_strided(size, stride, offset)
    return fake.requires_grad_(tensor.requires_grad)


def is_subclass(tensor: torch.Tensor) -> bool:
    """Whether ``tensor`` is of a class that may give operators a meaning of its own."""
    return type(tensor) not in (torch.Tensor, torch.nn.Parameter, FakeTensor)


def modes_of_tracing() -> tuple[Any, ...]:
    """Global state that operators ask for while they are traced."""
    return (
        GlobalStateGuard().__getstate__(),
        torch._C._get_default_device(),
        functorch_config.functionalize_rng_ops,
    )


def trace(
    call: Callable[[Sequence[torch.Tensor]], Sequence[torch.Tensor]],
    fakes: Sequence[torch.Tensor],
    fake_mode: FakeTensorMode,
    decompositions: dict[Any, Any] | None,
) -> fx.Graph:
    """The ATen graph of ``call``, functionalized and decomposed as AOTAutograd does."""

    def functionalized(*tensors: torch.Tensor) -> list[Any]:
        # Functionalization in Python stands above the one in C++.
        above = torch._C._ExcludeDispatchKeyGuard(
            torch._C.DispatchKeySet(torch._C.DispatchKey.Functionalize)
        )
        with above:
            returned = call([to_fun(tensor) for tensor in tensors])
        nodes = _nodes_so_far()
        results = [from_fun(tensor) for tensor in returned]
        if _nodes_so_far() != nodes:
            raise LateViewError
        return results

    with (
        torch.autograd.set_multithreading_enabled(False),
        preserve_rng_state(),
        fake_mode,
        enable_python_dispatcher(),
        # Nobody runs the module that comes out, so its code need not be written.
        _use_lazy_graph_module(True),
        FunctionalTensorMode(_allow_token_discovery=True),
    ):
        # AOTAutograd runs a graph once for its metadata first, and fake tensors remember what an
        # operator gave: two results that are one tensor the first time are two the second time.
        functionalized(*fakes)
        graph: fx.Graph = make_fx(
            functionalized,
            decomposition_table=decompositions,
            record_module_stack=True,
            pre_dispatch=False,
        )(*fakes).graph
    return graph


class LateViewError(Exception):
    """A result is a view that functionalization makes again where it is next used.

    That happens to views of what the call itself wrote to. In a graph that is traced as a whole
    the view stands before its next use, and not at the end of the call.
    """


def _nodes_so_far() -> int:
    """How many nodes the graph has that is being traced; 0 while none is."""
    mode = get_proxy_mode()
    return 0 if mode is None else len(mode.tracer.graph.nodes)


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


def input_name(index: int) -> str:
    """What AOTAutograd calls the ``index``-th input of an inference graph."""
    return f"arg{index}_1"


def is_overload(target: Any) -> bool:
    """Whether ``target`` is an operator as it stands in an ATen graph."""
    return isinstance(target, OpOverload)


def viewed_argument(operator: Any) -> int | None:
    """Which argument the result of ``operator`` shares memory with, None if it has its own."""
    schema = operator._schema
    if all(returned.alias_info is None for returned in schema.returns):
        return None
    return next(index for index, each in enumerate(schema.arguments) if each.alias_info is not None)


def is_lasting(target: Any) -> bool:
    """Whether ``target`` is one and the same for all graphs, so that its templates may be kept."""
    return isinstance(target, (torch_engine.Op, OpOverload)) or target is torch.add


def tensor_metadata(fake: torch.Tensor) -> Any:
    return _extract_tensor_metadata(fake)
