"""Conditions for giving a backend a graph without Dynamo, whichever way."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ca_engine.compat import ambient
from ca_engine.lowering.contents import Contents
from ca_engine.lowering.recognise import Backend, KnownCompiler
from ca_engine.lowering.refusal import RefusalError
from ca_engine.lowering.templates import is_plain

# The backends whose graphs were compared with AOTAutograd's, by device (docs/gpu.md).
PROVEN_BACKENDS: dict[str, frozenset[Backend]] = {
    "cpu": frozenset({"aot_eager", "inductor"}),
    "cuda": frozenset({"aot_eager", "inductor"}),
}
# The devices on which inductor's kernels for any size have the bits of those for one. A GPU's sum
# in another order.
_ONE_ORDER_FOR_ALL_SIZES = frozenset({"cpu"})


def refuse_by_world(compiler: KnownCompiler, contents: Contents) -> None:
    if contents.python is not None:
        raise contents.python
    if contents.scalars:
        raise RefusalError("lifted_number")
    if compiler.dynamic:
        raise RefusalError("dynamic_sizes", "torch.compile(dynamic=True)")
    if not ambient.is_plain_world():
        raise RefusalError("mode", "autocast, create_graph or a torch mode around the backward")
    if functional := ambient.functional_option():
        raise RefusalError("config", functional)


def refuse_by_inputs(compiler: KnownCompiler, inputs: Sequence[torch.Tensor]) -> None:
    for tensor in inputs:
        if ambient.is_batched(tensor):
            raise RefusalError("tensor_kind", "a batched tensor")
        if not is_plain(tensor):
            raise RefusalError("tensor_kind", f"{type(tensor).__name__}, {tensor.layout}")
        if compiler.backend not in PROVEN_BACKENDS.get(tensor.device.type, ()):
            raise RefusalError("device", tensor.device.type)
        if ambient.is_marked(tensor):
            raise RefusalError("dynamic_sizes", "a dimension that was marked")


def refuse_by_sizes(
    compiler: KnownCompiler, inputs: Sequence[torch.Tensor], sizes: Sequence[int]
) -> None:
    """Refuse a graph that Dynamo compiles for any size, where other bits would come of it.

    ``sizes`` are those that the graph takes, which are symbols to Dynamo whatever `torch.compile`
    was given. A graph that is lowered is compiled for those that came.
    """
    devices = {tensor.device.type for tensor in inputs}
    if compiler.backend == "inductor" and sizes and (other := devices - _ONE_ORDER_FOR_ALL_SIZES):
        raise RefusalError("dynamic_sizes", f"compiled for any size on {min(other)}")
