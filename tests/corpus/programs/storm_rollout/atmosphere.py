"""A toy atmosphere: advection on a ring with a few modes of forcing."""

import math

import torch


def initial_state(batch, cells, key):
    phase = torch.rand(batch, 1, generator=key) * 2 * math.pi
    place = torch.linspace(0, 2 * math.pi, cells + 1)[:-1]
    return torch.sin(place + phase) + 0.3 * torch.sin(3 * place - phase)


def true_step(state, courant=0.4, damping=0.98):
    upstream = torch.roll(state, 1, dims=-1)
    return damping * (state - courant * (state - upstream))


def trajectory(state, steps):
    states = [state]
    for _ in range(steps):
        states.append(true_step(states[-1]))
    return torch.stack(states, dim=1)


def stream(batch, cells, steps, seed):
    key = torch.Generator().manual_seed(seed)
    while True:
        yield trajectory(initial_state(batch, cells, key), steps)
