"""Grows a patch of moss from one cell."""

import torch
from automaton import Automaton
from pool import Pool


def patch(side):
    at = torch.linspace(-1, 1, side)
    radius = (at[:, None].square() + at[None].square()).sqrt()
    return torch.stack([(radius < 0.7).float() * (1 - radius), (radius < 0.7).float()])


def normalize_gradients(module):
    for parameter in module.parameters():
        parameter.grad.div_(parameter.grad.norm() + 1e-8)


def main(updates=10):
    torch.manual_seed(0)
    pool = Pool()
    wanted = patch(pool.side)
    automaton = Automaton(pool.channels)
    optimizer = torch.optim.Adam(automaton.parameters(), lr=2e-3)
    for _, (grids, steps, places) in zip(range(updates), pool.drawn(batch=4), strict=False):
        grown = automaton(grids, steps)
        loss = (grown[:, :2] - wanted).square().mean()
        optimizer.zero_grad()
        loss.backward()
        normalize_gradients(automaton)
        optimizer.step()
        pool.put_back(grown, places)


if __name__ == "__main__":
    main()
