import torch
from simulator import DT, MOTORS, STATE
from torch import nn


class Dynamics(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.change = nn.Sequential(
            nn.Linear(STATE + MOTORS, width), nn.Softplus(), nn.Linear(width, STATE)
        )

    def forward(self, state, thrust):
        return state + DT * self.change(torch.cat([state, thrust], dim=-1))


def rollout_loss(model, states, thrusts, horizon):
    """Mean error of the predicted flight over the first `horizon` steps."""
    state, errors = states[:, 0], []
    for t in range(horizon):
        state = model(state, thrusts[:, t])
        errors.append((state - states[:, t + 1]).square().mean())
    return torch.stack(errors).mean()
