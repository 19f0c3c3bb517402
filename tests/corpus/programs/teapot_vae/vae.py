import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, d_in=196, d_hidden=64, d_z=6):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d_in, d_hidden), nn.GELU())
        self.mu = nn.Linear(d_hidden, d_z)
        self.logvar = nn.Linear(d_hidden, d_z)

    def forward(self, x):
        h = self.body(x.flatten(1))
        return self.mu(h), self.logvar(h)


def decoder(d_z=6, d_hidden=64, d_out=196):
    return nn.Sequential(nn.Linear(d_z, d_hidden), nn.GELU(), nn.Linear(d_hidden, d_out))


def teapots(n, generator):
    """Discs with a spout to one side, 14 by 14."""
    grid = torch.linspace(-1, 1, 14)
    yy, xx = torch.meshgrid(grid, grid, indexing="ij")
    size = 0.3 + 0.4 * torch.rand(n, 1, 1, generator=generator)
    tilt = torch.randn(n, 1, 1, generator=generator)
    body = xx**2 + yy**2 < size**2
    spout = (yy - tilt * xx).abs() < 0.15
    return (body | (spout & (xx > 0))).float()
