"""Forecasts headways of buses."""

import torch
from clipping import Narrowing
from line import days
from torch import nn
from torch.nn import functional

WEEK = 5


class Headway(nn.Module):
    def __init__(self, stops=6, width=8):
        super().__init__()
        self.load = nn.Linear(stops, width)
        self.out = nn.Linear(width, 1)

    def forward(self, load):
        return 8 + self.out(functional.elu(self.load(load))).squeeze(-1)


def main(weeks=3):
    torch.manual_seed(0)
    model = Headway()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    narrowing = Narrowing(model.out, limit=1.0, rate=0.5)
    for day, (load, headway) in enumerate(days(weeks * WEEK), start=1):
        optimizer.zero_grad()
        loss = functional.l1_loss(model(load), headway)
        loss.backward()
        optimizer.step()
        if day % WEEK == 0:
            narrowing.step()


if __name__ == "__main__":
    main()
