"""A network whose gradient is the motion."""

import torch
from torch import nn


class Hamiltonian(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.energy = nn.Sequential(
            nn.Linear(2, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1)
        )
        self.register_buffer("symplectic", torch.tensor([[0.0, 1.0], [-1.0, 0.0]]))

    def forward(self, state):
        state = state.detach().requires_grad_()
        energy = self.energy(state).sum()
        (slope,) = torch.autograd.grad(energy, state, create_graph=True)
        return slope @ self.symplectic.T
