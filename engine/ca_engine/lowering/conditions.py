"""Conditions for giving a backend a graph without Dynamo, whichever way."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ca_engine.compat import ambient
from ca_engine.lowering.contents import Contents
from ca_engine.lowering.recognise import KnownCompiler
from ca_engine.lowering.refusal import RefusalError
from ca_engine.lowering.templates import is_plain

# Where graphs were compared with AOTAutograd's.
PROVEN_DEVICES = frozenset({"cpu"})


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


def refuse_by_inputs(inputs: Sequence[torch.Tensor]) -> None:
    for tensor in inputs:
        if ambient.is_batched(tensor):
            raise RefusalError("tensor_kind", "a batched tensor")
        if not is_plain(tensor):
            raise RefusalError("tensor_kind", f"{type(tensor).__name__}, {tensor.layout}")
        if tensor.device.type not in PROVEN_DEVICES:
            raise RefusalError("device", tensor.device.type)
        if ambient.is_marked(tensor):
            raise RefusalError("dynamic_sizes", "a dimension that was marked")
