"""A town's trams: lines share a few stops."""

import torch


def town(stops=40, lines=5, length=14, seed=2):
    generator = torch.Generator().manual_seed(seed)
    pairs = [torch.tensor([[stops - 1], [0]])]
    for _ in range(lines):
        route = torch.randperm(stops, generator=generator)[:length]
        pairs += [torch.stack([route[:-1], route[1:]]), torch.stack([route[1:], route[:-1]])]
    edges = torch.cat(pairs, dim=1)
    minutes = torch.randint(1, 5, (edges.shape[1],), generator=generator)
    return edges, 1.0 / minutes


def mornings(count, stops=40, seed=3):
    """Boardings of the past hours and of the next one, at each stop."""
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        past = torch.rand(stops, 4, generator=generator)
        yield past, past.mean(1) + 0.1 * torch.randn(stops, generator=generator)
