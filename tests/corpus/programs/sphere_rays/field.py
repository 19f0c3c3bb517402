"""A radiance field and how rays are rendered through it."""

import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, frequencies):
        super().__init__()
        self.register_buffer("bands", 2.0 ** torch.arange(frequencies))

    def forward(self, x):
        angles = (x.unsqueeze(-1) * self.bands).flatten(-2)
        return torch.cat([x, angles.sin(), angles.cos()], dim=-1)


class RadianceField(nn.Module):
    def __init__(self, frequencies=4, width=32):
        super().__init__()
        self.encode = PositionalEncoding(frequencies)
        self.trunk = nn.Sequential(
            nn.Linear(3 + 6 * frequencies, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.sigma = nn.Linear(width, 1)
        self.rgb = nn.Linear(width, 3)

    def forward(self, points):
        hidden = self.trunk(self.encode(points))
        return torch.relu(self.sigma(hidden)).squeeze(-1), torch.sigmoid(self.rgb(hidden))


def render_rays(field, origins, directions, near, far, samples, perturb):
    depth = torch.linspace(near, far, samples).expand(len(origins), samples)
    if perturb:
        depth = depth + torch.rand_like(depth) * (far - near) / samples
    points = origins.unsqueeze(1) + directions.unsqueeze(1) * depth.unsqueeze(2)
    sigma, rgb = field(points)
    optical = sigma * (far - near) / samples
    through = torch.exp(optical - optical.cumsum(1))
    weights = (1 - torch.exp(-optical)) * through
    return {
        "rgb": (weights.unsqueeze(2) * rgb).sum(1),
        "depth": (weights * depth).sum(1),
        "weights": weights,
    }
