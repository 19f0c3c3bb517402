"""A vector quantizer whose codebook follows by moving averages."""

import torch
from torch import nn
from torch.nn import functional


class Quantizer(nn.Module):
    def __init__(self, codes=16, width=8, decay=0.9):
        super().__init__()
        self.decay = decay
        self.register_buffer("book", torch.randn(codes, width))
        self.register_buffer("counts", torch.ones(codes))
        self.used = 0

    @torch.no_grad()
    def follow(self, flat, chosen):
        hot = functional.one_hot(chosen, len(self.book)).float()
        self.counts.lerp_(hot.sum(0), 1 - self.decay)
        means = hot.t() @ flat / hot.sum(0).clamp(min=1)[:, None]
        self.book.lerp_(means, 1 - self.decay)

    def forward(self, x):
        flat = x.flatten(0, -2)
        chosen = torch.cdist(flat.detach(), self.book).argmin(1)
        if self.training:
            self.follow(flat.detach(), chosen)
            self.used = len(chosen.unique())
        quantized = self.book[chosen].view_as(x)
        commitment = functional.mse_loss(x, quantized.detach())
        return x + (quantized - x).detach(), commitment
