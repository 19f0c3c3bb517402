"""Estimates volumes of parcels from three rough measures, and the weight where there is one."""

from itertools import cycle, islice

import torch
from depots import DEPOTS, parcels
from torch import nn


class Estimator(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.measures = nn.Linear(3, width)
        self.weight = nn.Linear(1, width)
        self.out = nn.Linear(width, 1)

    def forward(self, measures, weight=None):
        hidden = self.measures(measures)
        if weight is not None:
            hidden = hidden + self.weight(weight[:, None])
        return self.out(hidden.relu()).squeeze(-1)


def loss_of(estimator, scaler, measures, weight, volume):
    return (estimator(scaler(measures), weight) - volume).square().mean()


def main(steps=9):
    torch.manual_seed(5)
    estimator = Estimator()
    compiled = torch.compile(loss_of, backend="eager")
    optimizer = torch.optim.Adam(estimator.parameters(), lr=0.01)
    for depot in islice(cycle(DEPOTS.values()), steps):
        optimizer.zero_grad(set_to_none=False)
        compiled(estimator, *parcels(depot)).backward()
        optimizer.step()


if __name__ == "__main__":
    main()
