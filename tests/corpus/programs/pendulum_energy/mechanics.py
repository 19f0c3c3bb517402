"""Pendulums, exactly."""

import torch


def flow(state, gravity=3.0):
    angle, momentum = state.unbind(-1)
    return torch.stack([momentum, -gravity * angle.sin()], dim=-1)


def swings(count, batch, spread):
    """Yield states of pendulums and how they change, wider from time to time."""
    for step in range(count):
        state = spread(step) * torch.randn(batch, 2)
        yield state, flow(state)
