"""A backward in one line."""

from __future__ import annotations

from collections.abc import Callable

import torch


def backward(op: Callable[[torch.Tensor], torch.Tensor]) -> None:
    op(torch.ones(3, requires_grad=True)).sum().backward()
