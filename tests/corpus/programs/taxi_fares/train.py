"""Adapts a model of fares to a new city: the head first, then the rest."""

import torch
from momentum import Momentum
from torch import nn
from torch.nn import functional


class Thaw:
    """Frees parts of a model at given steps."""

    def __init__(self, schedule):
        self.schedule = schedule
        for part in schedule.values():
            part.requires_grad_(False)

    def before(self, step):
        if step in self.schedule:
            self.schedule[step].requires_grad_(True)


def rides(batch=24):
    ride = torch.rand(batch, 4)
    return ride, 3 + 12 * ride[:, :1] + 4 * ride[:, 1:2] * ride[:, 2:3]


def main(steps=12):
    torch.manual_seed(7)
    body = nn.Sequential(nn.Linear(4, 16), nn.GELU(), nn.Linear(16, 16), nn.GELU())
    head = nn.Linear(16, 1)
    optimizer = Momentum([*body.parameters(), *head.parameters()], peak=0.02, warm=5)
    thaw = Thaw({4: body[2], 8: body[0]})
    for step in range(steps):
        thaw.before(step)
        ride, fare = rides()
        optimizer.zero_grad()
        loss = functional.smooth_l1_loss(head(body(ride)), fare)
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
