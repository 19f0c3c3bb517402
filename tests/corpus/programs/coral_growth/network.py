"""A deep network whose activations are computed twice."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint_sequential


class Deep(nn.Module):
    def __init__(self, traits, width=8, depth=4, segments=2, reentrant=True):
        super().__init__()
        self.enter = nn.Linear(traits, width)
        self.layers = nn.Sequential(
            *(nn.Sequential(nn.Linear(width, width), nn.Softplus()) for _ in range(depth))
        )
        self.leave = nn.Linear(width, 1)
        self.segments, self.reentrant = segments, reentrant

    def forward(self, traits):
        x = torch.tanh(self.enter(traits))
        if self.segments > 1:
            x = checkpoint_sequential(self.layers, self.segments, x, use_reentrant=self.reentrant)
        else:
            x = self.layers(x)
        return self.leave(x).squeeze(-1)
