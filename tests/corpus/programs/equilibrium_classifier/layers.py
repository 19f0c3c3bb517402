"""A layer whose output is a fixed point of its own cell."""

import torch
from solvers import SOLVERS
from torch import nn


class Cell(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(width, width)
        nn.init.orthogonal_(self.inner.weight, gain=0.5)
        self.norm = nn.LayerNorm(width)

    def forward(self, z, x):
        return self.norm(x + torch.tanh(self.inner(z)))


class Equilibrium(nn.Module):
    def __init__(self, cell, forward_solver="simple", backward_solver="damped"):
        super().__init__()
        self.cell = cell
        self.solve = SOLVERS[forward_solver]
        self.solve_backward = SOLVERS[backward_solver]

    def forward(self, x):
        with torch.no_grad():
            z = self.solve(lambda z: self.cell(z, x), torch.zeros_like(x))
        z = self.cell(z, x)
        if self.training:
            self.attach_implicit_gradient(z, x)
        return z

    def attach_implicit_gradient(self, z, x):
        z0 = z.detach().requires_grad_()
        f0 = self.cell(z0, x.detach())

        def implicit(gradient):
            def step(y):
                return torch.autograd.grad(f0, z0, y, retain_graph=True)[0] + gradient

            return self.solve_backward(step, gradient, steps=3)

        z.register_hook(implicit)
