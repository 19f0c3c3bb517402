"""How far a field is from solving the equation."""

import math

import torch


def residual(field, points, diffusivity=0.1):
    u = field(points)
    (first,) = torch.autograd.grad(u.sum(), points, create_graph=True)
    (second,) = torch.autograd.grad(first[:, 0].sum(), points, create_graph=True)
    return (first[:, 1] - diffusivity * second[:, 0]).square().mean()


def initial(x):
    return torch.sin(math.pi * x[:, :1])
