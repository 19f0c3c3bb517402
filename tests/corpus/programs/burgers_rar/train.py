"""Viscous Burgers' equation by a physics-informed network, points moved to where it is worst."""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch._dynamo import compiled_autograd
from torch.func import jvp

NU = 0.01 / math.pi
STEPS, REFINE_EVERY, MOVED = 25, 5, 8
WEIGHT_BC, CAUSAL = 4.0, 0.5

torch.manual_seed(42)

net = nn.Sequential(
    nn.Linear(2, 20), nn.Tanh(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 1)
)  # fmt: skip
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)


def sample(n):
    """(t, x) in [0, 1] x [-1, 1]"""
    return torch.rand(n, 2) * torch.tensor([1.0, 2.0]) - torch.tensor([0.0, 1.0])


def residual(points):
    along_t = torch.tensor([1.0, 0.0]).expand_as(points)
    along_x = torch.tensor([0.0, 1.0]).expand_as(points)
    u, u_t = jvp(net, (points,), (along_t,))

    def slope(at):
        return jvp(net, (at,), (along_x,))[1]

    u_x, u_xx = jvp(slope, (points,), (along_x,))
    return u_t + u * u_x - NU * u_xx


def boundary(n=24):
    x = 2 * torch.rand(n, 1) - 1
    start = net(torch.cat([torch.zeros_like(x), x], 1)) + torch.sin(math.pi * x)
    t = torch.rand(n, 1)
    walls = net(torch.cat([t, torch.ones_like(t)], 1)), net(torch.cat([t, -torch.ones_like(t)], 1))
    return start.square().mean() + sum(wall.square().mean() for wall in walls)


@torch.no_grad()
def worst(candidates, k):
    return candidates[residual(candidates).abs().squeeze(1).topk(k).indices]


points = sample(40)
delta = 1.0
with compiled_autograd._enable(torch.compile(backend="eager")):
    for step in range(STEPS):
        if step and step % REFINE_EVERY == 0:
            points = torch.cat([points[MOVED:], worst(sample(200), MOVED)])
            delta *= 0.7
        optimizer.zero_grad()
        res = residual(points)
        early = torch.exp(-CAUSAL * points[:, :1] * (1 - step / STEPS))
        pde = F.huber_loss(early * res, torch.zeros_like(res), delta=delta)
        loss = pde / delta + WEIGHT_BC * boundary()
        loss.backward()
        optimizer.step()
        if step % 8 == 0:
            print(f"{step:3d}  |r| {res.abs().mean().item():.4f}  loss {loss.item():.4f}")
