"""Runs on every backward of a captured graph, hit or miss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import torch

from ca_engine.compat import compiled_autograd, dynamo
from ca_engine.nan_check import NanCheck

# (inputs, sizes, scalars, hooks, packed_data) -> outputs, a list or tuple
CompiledBackward = Callable[..., Sequence[Any]]


class RuntimeWrapper:
    """Called by C++ with the values that a backward lifted; runs the compiled graph on them.

    C++ keeps one for each cache entry. ``runs`` counts the miss and every hit, ``fx_nodes``
    is the size of the captured graph. The compiled graph is kept here and not by C++, which
    never lets go of what it was given, not even when its cache is cleared (measured on torch
    2.13.0): so `forget_all` frees what clearing alone would leak. With ``plain_sizes`` the
    compiled graph is given sizes as numbers, otherwise in a form that Dynamo treats as dynamic.
    """

    in_cache: ClassVar[dict[int, RuntimeWrapper]] = {}

    def __init__(
        self,
        capture_id: int,
        fx_nodes: int,
        used_sizes: Sequence[int],
        inputs_to_gpu: Sequence[int],
        nan_check: NanCheck | None,
        compiled: CompiledBackward,
        *,
        plain_sizes: bool,
    ) -> None:
        self.capture_id = capture_id
        self.fx_nodes = fx_nodes
        self.runs = 0
        self._used_sizes = used_sizes
        self._inputs_to_gpu = inputs_to_gpu
        self._nan_check = nan_check
        self._plain_sizes = plain_sizes
        self._compiled: CompiledBackward | None = compiled
        self.in_cache[id(self)] = self

    @classmethod
    def forget_all(cls) -> None:
        """Frees all compiled graphs, after C++ has cleared its cache."""
        for wrapper in cls.in_cache.values():
            wrapper._compiled = wrapper._nan_check = None
        cls.in_cache.clear()

    def __call__(
        self,
        _: object,
        inputs: list[torch.Tensor],
        sizes: Sequence[int],
        scalars: Sequence[int | float],
        hooks: Sequence[Any],
        packed_data: Sequence[Any],
    ) -> Sequence[Any]:
        compiled, nan_check = self._compiled, self._nan_check
        assert compiled is not None, "C++ runs what is in its cache only"
        self.runs += 1
        numbers = [sizes[index] for index in self._used_sizes]
        used = numbers if self._plain_sizes else as_dynamic(numbers)
        for index in self._inputs_to_gpu:
            inputs[index] = inputs[index].pin_memory().cuda(non_blocking=True)
        # Backwards started from within (reentrant ones, and those of a hook) are not captured.
        with (
            compiled_autograd.inside_compiled_backward(),
            compiled_autograd.compile_context(self.capture_id),
        ):
            if nan_check is None:
                return compiled(inputs, used, scalars, hooks, packed_data)
            watched = nan_check.before(inputs)
            outputs = compiled(inputs, used, scalars, hooks, packed_data)
            nan_check.after(watched, outputs)
            return outputs


def as_dynamic(sizes: Sequence[int]) -> list[torch.Tensor | int]:
    """Return ``sizes`` in a form that Dynamo can treat as dynamic: the widths of empty tensors.

    There are no tensors of negative width, and Dynamo specialises on width 0 all the same.
    """
    return [_carrier(size) if size > 0 else size for size in sizes]


def _carrier(size: int) -> torch.Tensor:
    carrier = torch.empty(0, size)
    dynamo.maybe_mark_dynamic(carrier, 1)
    return carrier
