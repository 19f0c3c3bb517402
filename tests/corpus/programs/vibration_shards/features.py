"""Spectral bands of a recording."""

import torch
from torch import nn


class Bands(nn.Module):
    def __init__(self, length, bands):
        super().__init__()
        basis = torch.cos(torch.arange(bands).unsqueeze(1) * torch.linspace(0, 3.14, length))
        self.register_buffer("basis", basis)

    def forward(self, signal):
        centred = signal - signal.mean(1, keepdim=True)
        scaled = centred / centred.abs().amax(1, keepdim=True)
        return (scaled.to(self.basis.dtype) @ self.basis.t()).square().log1p()
