"""Generates textures from a code, with grain that is the same each time."""

import torch
from torch import nn


class Grain(nn.Module):
    """Adds noise of one seed, without moving the generator that all else draws from."""

    def __init__(self, seed, strength=0.05):
        super().__init__()
        self.seed, self.strength = seed, strength

    def forward(self, texture):
        with torch.random.fork_rng():
            torch.manual_seed(self.seed)
            grain = torch.randn_like(texture)
        return texture + self.strength * grain


class TextureVae(nn.Module):
    def __init__(self, side=12, code=6):
        super().__init__()
        self.side = side
        self.encode = nn.Linear(side * side, 2 * code)
        self.decode = nn.Linear(code, side * side)
        self.grain = Grain(seed=7)

    def forward(self, heights):
        mean, log_std = self.encode(heights.flatten(1)).chunk(2, 1)
        code = mean + log_std.exp() * torch.randn_like(mean)
        texture = self.decode(code).view(-1, self.side, self.side)
        return self.grain(texture), mean, log_std
