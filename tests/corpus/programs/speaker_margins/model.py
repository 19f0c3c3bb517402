"""Speaker embeddings with an angular margin."""

import torch
from torch import nn
from torch.nn import functional


class Embedder(nn.Module):
    def __init__(self, bands=6, width=10):
        super().__init__()
        self.frame = nn.Linear(bands, width)
        self.out = nn.Linear(width, width)

    def forward(self, frames):
        hidden = functional.silu(self.frame(frames))
        return functional.normalize(self.out(hidden.mean(1)), dim=-1)


class MarginHead(nn.Module):
    def __init__(self, speakers=4, width=10, scale=8.0):
        super().__init__()
        self.centres = nn.Parameter(torch.randn(speakers, width))
        self.scale = scale
        self.hardness = 0.0

    def forward(self, embeddings, speakers):
        cosines = embeddings @ functional.normalize(self.centres, dim=-1).T
        chosen = functional.one_hot(speakers, len(self.centres)).to(cosines)
        hard = torch.sub(cosines, chosen * cosines.square(), alpha=self.hardness)
        return functional.cross_entropy(self.scale * hard, speakers)
