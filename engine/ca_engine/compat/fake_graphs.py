"""Metadata of an ATen graph, put back in the process that compiles it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import fx
from torch._dispatch.python import enable_python_dispatcher
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.passes.fake_tensor_prop import FakeTensorProp
from torch.fx.passes.shape_prop import _extract_tensor_metadata


def fake_of(metadata: tuple[Any, ...], fake_mode: FakeTensorMode) -> torch.Tensor:
    """Return a fake tensor with the metadata of `templates.metadata_of`."""
    shape, stride, offset, dtype, device, requires_grad, nbytes = metadata
    elements = torch.empty(nbytes // dtype.itemsize, dtype=dtype, device="meta")
    # A fake tensor requires a gradient if its elements do.
    elements = elements.as_strided(shape, stride, offset).requires_grad_(requires_grad)
    return FakeTensor(fake_mode, elements, device)


def propagate(graph: fx.Graph, fakes: Sequence[torch.Tensor], fake_mode: FakeTensorMode) -> None:
    """Give each node of an ATen graph what AOTAutograd's tracing notes of it."""
    module = fx.GraphModule(torch.nn.Module(), graph)
    with fake_mode, enable_python_dispatcher():
        FakeTensorProp(module, fake_mode).propagate_dont_convert_inputs(*fakes)
    for node in module.graph.nodes:
        value = node.meta.get("val")
        if isinstance(value, torch.Tensor):
            node.meta["tensor_meta"] = _extract_tensor_metadata(value)
