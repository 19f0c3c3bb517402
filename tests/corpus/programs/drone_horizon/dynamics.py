import torch
from torch import nn


class Dynamics(nn.Module):
    """What the state changes by in a tick."""

    def __init__(self, hidden=24):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, hidden), nn.Tanh(), nn.Linear(hidden, 4))
        self.scale = nn.Parameter(torch.tensor(0.1))

    def forward(self, state, control):
        return state + self.scale * self.net(torch.cat([state, control], dim=-1))


def rollout(dynamics, start, controls, horizon):
    state, path = start, []
    for tick in range(horizon):
        state = dynamics(state, controls[tick])
        path.append(state)
    return torch.stack(path)
