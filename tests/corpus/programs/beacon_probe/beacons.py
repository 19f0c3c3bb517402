"""How far a beacon is seen, from the weather."""

import torch


def observations(count, seed=0):
    g = torch.Generator().manual_seed(seed)
    weather = torch.rand(count, 5, generator=g)
    fog, rain = weather[:, 0], weather[:, 1]
    seen = 20 * torch.exp(-3 * fog - rain) * (0.5 + weather[:, 2])
    return weather, seen.log1p().unsqueeze(-1)


def minibatches(tensors, size, generator):
    order = torch.randperm(len(tensors[0]), generator=generator)
    for rows in order.split(size):
        if len(rows) == size:
            yield [tensor[rows] for tensor in tensors]
