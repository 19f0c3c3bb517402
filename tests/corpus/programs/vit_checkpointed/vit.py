"""A small vision transformer that may recompute its blocks."""

import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)
        )

    def forward(self, x):
        q, k, v = self.qkv(self.norm(x)).chunk(3, -1)
        x = x + functional.scaled_dot_product_attention(q, k, v)
        return x + self.mlp(x)


class Vit(nn.Module):
    def __init__(self, config):
        super().__init__()
        width = config["width"]
        self.patches = nn.Conv2d(1, width, 4, stride=4)
        self.place = nn.Parameter(torch.zeros(1, 4, width))
        self.blocks = nn.ModuleList(Block(width) for _ in range(config["depth"]))
        self.head = nn.Linear(width, config["classes"])
        self.recompute = config["gradient_checkpointing"]

    def forward(self, images):
        x = self.patches(images).flatten(2).transpose(1, 2) + self.place
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if self.recompute else block(x)
        return self.head(x.mean(1))
