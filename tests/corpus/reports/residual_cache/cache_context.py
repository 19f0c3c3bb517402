import torch
from torch import nn


class CachedBlocks(nn.Module):
    """run the first block always; skip the others while its residual hardly moves"""

    def __init__(self, dit, threshold):
        super().__init__()
        self.dit = dit
        self.threshold = threshold
        self.first_residual = None
        self.rest_residual = None
        self.hits = 0

    def similar(self, a, b):
        return ((a - b).abs().mean() / b.abs().mean()) < self.threshold

    def forward(self, x):
        h = self.dit.blocks[0](x)
        residual = h - x
        if self.first_residual is not None and self.similar(residual, self.first_residual):
            self.hits += 1
            return self.dit.final(h + self.rest_residual)
        self.first_residual = residual
        out = h
        for block in self.dit.blocks[1:]:
            out = block(out)
        self.rest_residual = out - h
        return self.dit.final(out)
