"""Sums over gradients, weights and buffers: what two short runs of a program compare.

A sum of bits is the same where every number is, whatever the layout: zeros add nothing to it, so
a sparse gradient and a dense one of the same values have equal sums. A magnitude says how far
two are apart where the bits differ.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import torch

from ca_engine.compat import tensors as compat_tensors
from ca_engine.recorder.modules import module_tensors, objects_of_class, root_modules
from ca_engine.recorder.objects import is_accumulate_grad
from ca_engine.recorder.variables import is_plain_tensor

_INTEGERS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
_WORD = (1 << 63) - 1


class Sum(NamedTuple):
    """How many ``tensors``, the sum of the absolute values in them, and that of their bits."""

    tensors: int
    magnitude: float | str
    bits: int


class Trained(NamedTuple):
    """The tensors of live modules and optimizers, at one moment."""

    weights: Sum
    buffers: Sum
    asking: list[str]


def total(values: Iterable[torch.Tensor], *, with_zeros: bool) -> Sum:
    """Sum ``values`` up; one of a kind that cannot be read counts as a tensor and adds nothing.

    Without ``with_zeros``, those that hold zeros only are not counted.
    """
    number, magnitude, bits = 0, 0.0, 0
    with torch.no_grad(), compat_tensors.without_torch_functions():
        for value in values:
            read = _read(value)
            size, pattern = (0.0, 0) if read is None else read
            number += with_zeros or read is None or size != 0
            magnitude += size
            bits = (bits + pattern) & _WORD
    return Sum(number, magnitude if math.isfinite(magnitude) else str(magnitude), bits)


def _read(value: torch.Tensor) -> tuple[float, int] | None:
    """Return the magnitude and the bits of one tensor; None where they cannot be read."""
    if not is_plain_tensor(value) or value.is_meta or value.is_nested:
        return None
    try:
        plain = value.detach()
        if plain.is_sparse:
            plain = compat_tensors.sparse_parts(plain.coalesce())[1]
        if plain.is_complex():
            plain = torch.view_as_real(plain.resolve_conj())
        plain = plain.resolve_neg()
        pattern = plain.view(_INTEGERS[plain.element_size()]).sum(dtype=torch.int64)
        if not plain.is_floating_point():
            plain = plain.double()
        size = torch.linalg.vector_norm(plain, 1, dtype=torch.float64)
        return float(size), int(pattern)
    except (RuntimeError, KeyError):
        return None  # quantized, or of a layout without these functions


def leaves(roots: Iterable[Any]) -> list[torch.Tensor]:
    """Return the tensors whose ``.grad`` a backward from ``roots`` adds to, each once."""
    pending = [node for root in roots if (node := _node_of(root)) is not None]
    found: dict[int, torch.Tensor] = {}
    seen: dict[int, Any] = {}  # kept, so that no other node gets the identity of a known one
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen[id(node)] = node
        if is_accumulate_grad(node):
            found[compat_tensors.cpp_identity(node.variable)] = node.variable
        pending += [after for after, _ in node.next_functions if after is not None]
    return list(found.values())


def _node_of(root: Any) -> Any:
    # A GradientEdge has a node and no `grad_fn`.
    return getattr(root, "node", None) or getattr(root, "grad_fn", None)


class TrainedTensors:
    """The parameters and buffers of live modules, and the tensors that optimizers step.

    Modules and optimizers are looked for at the backwards 0, 1, 3, 7, …, and kept by weak
    references.
    """

    def __init__(self) -> None:
        self._reads = 0
        self._modules: list[weakref.ref[torch.nn.Module]] = []
        self._optimizers: list[weakref.ref[torch.optim.Optimizer]] = []

    def read(self) -> Trained:
        """Read all of them."""
        self._reads += 1
        if self._reads & (self._reads - 1) == 0:
            self._modules = [weakref.ref(module) for module in root_modules()]
            self._optimizers = [weakref.ref(one) for one in objects_of_class(torch.optim.Optimizer)]
        weights: dict[int, tuple[str, torch.Tensor]] = {}
        buffers: dict[int, torch.Tensor] = {}
        for module in filter(None, (one() for one in self._modules)):
            for name, tensor, is_parameter in module_tensors(module):
                if is_parameter:
                    weights.setdefault(id(tensor), (name, tensor))
                else:
                    buffers.setdefault(id(tensor), tensor)
        for optimizer in filter(None, (one() for one in self._optimizers)):
            for name, tensor in _stepped(optimizer):
                weights.setdefault(id(tensor), (name, tensor))
        asking = sorted(name for name, tensor in weights.values() if tensor.requires_grad)
        return Trained(
            total((tensor for _, tensor in weights.values()), with_zeros=True),
            total(buffers.values(), with_zeros=True),
            asking,
        )


def _stepped(optimizer: torch.optim.Optimizer) -> Iterator[tuple[str, torch.Tensor]]:
    groups = getattr(optimizer, "param_groups", ())
    for group in groups:
        for tensor in group.get("params", ()):
            shape = "x".join(map(str, tensor.shape)) or "scalar"
            yield f"{type(optimizer).__name__}'s {shape} tensor", tensor
