"""Points of the heat equation on a rod: inside, at the ends, and at the start."""

import torch

COUNT = 32


def inside():
    return torch.rand(COUNT, 2).requires_grad_(True)


def ends():
    side = torch.randint(0, 2, (COUNT, 1)).float()
    return torch.cat([side, torch.rand(COUNT, 1)], 1)


def start():
    return torch.cat([torch.rand(COUNT, 1), torch.zeros(COUNT, 1)], 1)
