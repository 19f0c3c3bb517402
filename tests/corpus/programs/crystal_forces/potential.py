"""A pair potential whose embedding of kinds is learned."""

import torch
from torch import nn


class PairPotential(nn.Module):
    def __init__(self, kinds: int = 4, width: int = 8, centres: int = 6) -> None:
        super().__init__()
        self.kind = nn.Embedding(kinds, width)
        self.energy = nn.Sequential(nn.Linear(2 * width + centres, 16), nn.SiLU(), nn.Linear(16, 1))
        self.register_buffer("centres", torch.linspace(0.0, 1.5, centres))

    def forward(self, positions: torch.Tensor, kinds: torch.Tensor) -> torch.Tensor:
        atoms = positions.shape[1]
        i, j = torch.triu_indices(atoms, atoms, offset=1)
        gaps = positions.index_select(1, i) - positions.index_select(1, j)
        lengths = (gaps.square().sum(-1, keepdim=True) + 1e-6).sqrt()
        radial = torch.exp(-8.0 * (lengths - self.centres).square())
        embedded = self.kind(kinds)
        left, right = embedded.index_select(1, i), embedded.index_select(1, j)
        pairs = torch.cat([left + right, left * right, radial], -1)
        return self.energy(pairs).sum((1, 2))
