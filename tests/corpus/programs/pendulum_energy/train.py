"""Learns the energy of a pendulum from its motion."""

import copy
from functools import partial

import torch
from hamiltonian import Hamiltonian
from mechanics import swings
from torch import nn
from torch._dynamo import compiled_autograd


def widening(step, start, rate):
    return start + rate * step


@torch.no_grad()
def average(slow, fast, keep):
    for mine, theirs in zip(slow.parameters(), fast.parameters(), strict=True):
        mine.lerp_(theirs, 1 - keep)


def main(steps=10, batch=12):
    torch.manual_seed(0)
    model = Hamiltonian()
    slow = copy.deepcopy(model).requires_grad_(False)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    annealed = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    spread = partial(widening, start=0.5, rate=0.1)
    best = float("inf")
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step, (state, motion) in enumerate(swings(steps, batch, spread)):
            error = nn.functional.mse_loss(model(state), motion, reduction="none")
            loss = error.mean() / spread(step) ** 2
            model.zero_grad()
            loss.backward()
            if loss.item() < best:
                best = loss.item()
                average(slow, model, keep=min(0.9, step / 10))
            optimizer.step()
            annealed.step()


if __name__ == "__main__":
    main()
