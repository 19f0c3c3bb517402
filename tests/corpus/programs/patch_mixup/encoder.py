"""A small encoder of patches with stochastic depth."""

import random

import torch
import torch.nn as nn


class DropPath(nn.Module):
    """Skip a residual branch for the whole batch."""

    def __init__(self, branch, drop_prob):
        super().__init__()
        self.branch = branch
        self.drop_prob = drop_prob

    def forward(self, x):
        if self.training and random.random() < self.drop_prob:
            return x
        return x + self.branch(x)


class TinyEncoder(nn.Module):
    def __init__(self, dim=24, depth=2, num_classes=10, drop_path_rate=0.3):
        super().__init__()
        self.patch_embed = nn.Conv2d(3, dim, 4, 4)
        rates = torch.linspace(0, drop_path_rate, depth).tolist()
        self.blocks = nn.Sequential(
            *(
                DropPath(
                    nn.Sequential(
                        nn.LayerNorm(dim),
                        nn.Linear(dim, 2 * dim),
                        nn.GELU(),
                        nn.Linear(2 * dim, dim),
                    ),
                    rate,
                )
                for rate in rates
            )
        )
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, num_classes)

    def forward(self, images):
        x = self.patch_embed(images).flatten(2).transpose(1, 2)
        return self.head(self.norm(self.blocks(x)).mean(1))
