"""Functions that appear in captured graphs and that Dynamo must trace into.

They stand apart because the rest of the package is on Dynamo's skip list (`installation.py`):
what runs around a compiled backward must not be traced, what runs *in* it must.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.types import IntLikeType

__all__ = ["copy_slices_epilogue", "copy_slices_prologue"]


def copy_slices_prologue(
    grads: Sequence[torch.Tensor],
    base_sizes: Sequence[IntLikeType],
    base_strides: Sequence[IntLikeType],
    base_offset: IntLikeType,
    view_sizes: Sequence[IntLikeType],
    view_strides: Sequence[IntLikeType],
    view_offset: IntLikeType,
) -> list[torch.Tensor]:
    """First half of the backward of an in-place write to a view.

    Takes the gradient of the base after the write. Returns a copy of it with the base's
    geometry, the window of that copy which the view covers, and a contiguous copy of the
    window: the gradient that goes into the backward of the in-place operation.
    """
    (grad,) = grads
    base_grad = grad.new_empty_strided(base_sizes, base_strides)
    base_grad.copy_(grad)
    window = base_grad.as_strided(view_sizes, view_strides, view_offset - base_offset)
    return [base_grad, window, window.clone(memory_format=torch.contiguous_format)]


def copy_slices_epilogue(
    needs_input_grad: Sequence[bool],
    base_grad: torch.Tensor,
    fn_grads: Sequence[torch.Tensor | None],
    window: torch.Tensor,
) -> list[torch.Tensor | None]:
    """Second half: ``fn_grads`` are the gradients that the in-place operation's backward gave.

    The first belongs to the view, so it is written into the window and the whole base
    gradient is handed on in its place; the others are handed on as they are.
    """
    grads: list[torch.Tensor | None] = []
    for index, needed in enumerate(needs_input_grad):
        grad = fn_grads[index] if needed else None
        if grad is not None and index == 0:
            window.copy_(grad)
            grad = base_grad
        grads.append(grad)
    return grads
