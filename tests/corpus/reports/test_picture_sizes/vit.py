import torch
import torch.nn.functional as F
from torch import nn


class PatchNet(nn.Module):
    def __init__(self, dim, patch, grid):
        super().__init__()
        self.embed = nn.Conv2d(3, dim, patch, stride=patch)
        self.pos = nn.Parameter(torch.randn(1, dim, grid, grid) * 0.1)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, 5)
        self.tables = {}

    def positions(self, h, w):
        if (h, w) not in self.tables:
            self.tables[(h, w)] = F.interpolate(self.pos, size=(h, w), mode="bilinear", align_corners=False)
        return self.tables[(h, w)]

    def forward(self, picture):
        x = self.embed(picture)
        x = x + self.positions(x.shape[-2], x.shape[-1])
        x = x.flatten(2).transpose(1, 2)
        q, k, v = self.qkv(x).chunk(3, -1)
        x = x + F.scaled_dot_product_attention(q, k, v)
        return self.out(x.mean(1))
