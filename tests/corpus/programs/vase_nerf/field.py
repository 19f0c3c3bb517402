import math

import torch
from torch import nn


class Embedder(nn.Module):
    """Frequencies of a position, which are let in from the coarse to the fine."""

    def __init__(self, num_freqs):
        super().__init__()
        self.num_freqs = num_freqs
        self.register_buffer("bands", 2.0 ** torch.arange(num_freqs))

    @property
    def out_dim(self):
        return 3 + 6 * self.num_freqs

    def forward(self, x, progress):
        scaled = x[..., None, :] * self.bands[:, None]
        alpha = progress * self.num_freqs
        weight = []
        for k in range(self.num_freqs):
            w = min(max(alpha - k, 0.0), 1.0)
            weight.append(0.5 * (1 - math.cos(math.pi * w)))
        weight = torch.tensor(weight, dtype=x.dtype)[:, None]
        encoded = torch.cat([scaled.sin() * weight, scaled.cos() * weight], dim=-1)
        return torch.cat([x, encoded.flatten(-2)], dim=-1)


class NeRF(nn.Module):
    def __init__(self, num_freqs=3, width=32, skips=(1,)):
        super().__init__()
        self.embed = Embedder(num_freqs)
        self.skips = skips
        inner = self.embed.out_dim
        sizes = [inner, *(width + inner * (i in skips) for i in (1, 2))]
        self.pts_linears = nn.ModuleList([nn.Linear(size, width) for size in sizes])
        self.sigma, self.rgb = nn.Linear(width, 1), nn.Linear(width + 3, 3)

    def forward(self, pts, viewdirs, progress):
        encoded = self.embed(pts, progress)
        h = encoded
        for i, layer in enumerate(self.pts_linears):
            if i in self.skips:
                h = torch.cat([encoded, h], dim=-1)
            h = torch.relu(layer(h))
        rgb = self.rgb(torch.cat([h, viewdirs], dim=-1)).sigmoid()
        return rgb, self.sigma(h).squeeze(-1)
