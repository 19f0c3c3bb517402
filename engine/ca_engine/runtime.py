"""What runs on every backward of a captured graph, hit or miss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakSet

import torch

from ca_engine import compat

if TYPE_CHECKING:
    from ca_engine.capture.nan_check import NanCheck

# (inputs, sizes, scalars, hooks, packed_data) -> outputs, a list or tuple
CompiledBackward = Callable[..., Sequence[Any]]


class RuntimeWrapper:
    """Called by C++ with the compiled graph and the values that this backward lifted.

    C++ keeps one for each cache entry, so those alive are the captures in the cache;
    ``runs`` counts the miss and every hit, ``fx_nodes`` is the size of the captured graph.
    """

    alive: ClassVar[WeakSet[RuntimeWrapper]] = WeakSet()

    def __init__(
        self,
        capture_id: int,
        fx_nodes: int,
        used_sizes: Sequence[int],
        inputs_to_gpu: Sequence[int],
        nan_check: NanCheck | None,
    ) -> None:
        self.capture_id = capture_id
        self.fx_nodes = fx_nodes
        self.runs = 0
        self.alive.add(self)
        self._used_sizes = used_sizes
        self._inputs_to_gpu = inputs_to_gpu
        self._nan_check = nan_check

    def __call__(
        self,
        compiled: CompiledBackward,
        inputs: list[torch.Tensor],
        sizes: Sequence[int],
        scalars: Sequence[int | float],
        hooks: Sequence[Any],
        packed_data: Sequence[Any],
    ) -> Sequence[Any]:
        self.runs += 1
        dynamic_sizes = [_as_dynamic(sizes[index]) for index in self._used_sizes]
        for index in self._inputs_to_gpu:
            inputs[index] = inputs[index].pin_memory().cuda(non_blocking=True)
        # Backwards started from within (reentrant ones, and those of a hook) are not captured.
        with (
            compat.inside_compiled_backward(),
            compat.compile_context(self.capture_id),
        ):
            if self._nan_check is None:
                return compiled(inputs, dynamic_sizes, scalars, hooks, packed_data)
            watched = self._nan_check.before(inputs)
            outputs = compiled(inputs, dynamic_sizes, scalars, hooks, packed_data)
            self._nan_check.after(watched, outputs)
            return outputs


def _as_dynamic(size: int) -> torch.Tensor | int:
    """``size`` in a form that Dynamo can treat as dynamic: the width of an empty tensor.

    There are no tensors of negative width, and Dynamo specialises on width 0 all the same.
    """
    if size <= 0:
        return size
    carrier = torch.empty(0, size)
    torch._dynamo.maybe_mark_dynamic(carrier, 1)
    return carrier
