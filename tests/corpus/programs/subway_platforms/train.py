"""Forecasts crowds on platforms; first only the last layer is fitted."""

from dataclasses import dataclass

import torch
from model import Crowd, freeze_except
from platforms import Intervals
from torch._dynamo import compiled_autograd
from torch.nn import functional


@dataclass
class Phase:
    names: tuple[str, ...]
    intervals: int
    lr: float


PHASES = [Phase(("gain", "bias"), 6, 0.05), Phase(("past", "gain", "bias"), 8, 0.01)]


def fit(model, phase, seed):
    freeze_except(model, phase.names)
    optimizer = torch.optim.Adam(model.parameters(), lr=phase.lr)
    for shift, arrivals, crowd in Intervals(phase.intervals, seed=seed):
        loss = functional.smooth_l1_loss(model(arrivals, shift), crowd)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main():
    torch.manual_seed(0)
    model = Crowd()
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for seed, phase in enumerate(PHASES):
            fit(model, phase, seed)


if __name__ == "__main__":
    main()
