"""What is logged of gradients."""

import torch


class GradientNorm:
    def __init__(self):
        self.value = torch.zeros(())

    def attach(self, tensor):
        tensor.register_hook(self._note)

    def _note(self, grad):
        self.value.copy_(grad.norm())
        return grad

    def __str__(self):
        return f"{self.value.item():.2e}"
