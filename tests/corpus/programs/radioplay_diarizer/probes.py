from __future__ import annotations

import torch
from torch import Tensor


class GradientProbe:
    """How large the gradient is that arrives at a tensor."""

    def __init__(self, every: int) -> None:
        self.every = every
        self.norm = torch.zeros(())

    def due(self, step: int) -> bool:
        return step % self.every == 0

    def watch(self, tensor: Tensor, step: int) -> None:
        if self.due(step):
            tensor.register_hook(self._note)

    def _note(self, grad: Tensor) -> None:
        self.norm.copy_(grad.norm())
