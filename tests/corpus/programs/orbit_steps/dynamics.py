"""Learned forces and an integrator."""

import torch
from torch import nn


class Force(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, width), nn.Tanh(), nn.Linear(width, 2))

    def forward(self, place):
        return self.net(place)


def follow(force, place, speed, *, dt, steps):
    places = []
    for _ in range(steps):
        speed = speed + dt * force(place)
        place = place + dt * speed
        places.append(place)
    return torch.stack(places)


def orbits(count, steps, dt=0.1):
    angle = torch.rand(count) * 2 * torch.pi
    times = dt * torch.arange(steps + 1)[:, None] + angle
    places = torch.stack([times.cos(), times.sin()], dim=-1)
    speed = torch.stack([-angle.sin(), angle.cos()], dim=-1)
    return places[0], speed, places[1:]
