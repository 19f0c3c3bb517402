"""Plumes from a chimney on a fixed triangulated square; a solver stands behind the numbers."""

import torch


def grid_mesh(side):
    """Nodes (x, y) and edges both ways, with the diagonals of one direction."""
    axis = torch.linspace(0, 1, side)
    pos = torch.stack(torch.meshgrid(axis, axis, indexing="ij"), -1).reshape(-1, 2)
    number = torch.arange(side * side).view(side, side)
    pairs = [
        torch.stack([number[:-1].flatten(), number[1:].flatten()]),
        torch.stack([number[:, :-1].flatten(), number[:, 1:].flatten()]),
        torch.stack([number[:-1, :-1].flatten(), number[1:, 1:].flatten()]),
    ]
    edges = torch.cat(pairs, 1)
    return pos, torch.cat([edges, edges.flip(0)], 1)


def solve(pos, wind, source):
    """A Gaussian plume: wind (runs, 2), source (runs, 2) → concentration (runs, nodes)."""
    away = pos.unsqueeze(0) - source.unsqueeze(1)
    speed = wind.norm(dim=1, keepdim=True)
    along = (away * (wind / speed).unsqueeze(1)).sum(-1)
    across2 = away.square().sum(-1) - along.square()
    sigma2 = 0.01 + 0.1 * along.clamp(min=0)
    return torch.sigmoid(20 * along) * torch.exp(-across2 / (2 * sigma2)) / (0.5 + speed)


def simulations(pos, runs, seed=0):
    g = torch.Generator().manual_seed(seed)
    wind = 1 + torch.rand(runs, 2, generator=g)
    source = 0.3 * torch.rand(runs, 2, generator=g)
    return wind, solve(pos, wind, source)


def minibatches(count, size, steps):
    """`steps` times `size` different runs."""
    for _ in range(steps):
        yield torch.randperm(count)[:size]
