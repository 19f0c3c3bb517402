"""All gradients in one flat buffer: its norm and its zeroing are one operation each."""

import torch


class FlatGradients:
    def __init__(self, params):
        self.params = [p for p in params if p.requires_grad]
        self.buffer = torch.zeros(sum(p.numel() for p in self.params))
        offset = 0
        for p in self.params:
            p.grad = self.buffer[offset : offset + p.numel()].view_as(p)
            offset += p.numel()

    def zero(self):
        self.buffer.zero_()

    def clip(self, limit):
        norm = self.buffer.norm()
        self.buffer.mul_((limit / (norm + 1e-6)).clamp(max=1.0))
        return norm
