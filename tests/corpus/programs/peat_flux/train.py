"""Fits a column of peat to flux chambers."""

import settings
import torch
from objective import objective as eager_objective
from objective import worst
from torch import nn


class Column(nn.Module):
    def __init__(self, features=5, width=16):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(features, width), nn.Tanh())
        self.made = nn.Linear(width, settings.DEPTHS)
        self.flux = nn.Linear(width, settings.DEPTHS)

    def forward(self, soil):
        hidden = self.trunk(soil)
        return nn.functional.softplus(self.made(hidden)), self.flux(hidden)


def chambers(count=48):
    soil = torch.rand(count, 5)
    return soil, 2 * soil[:, 0] * soil[:, 3] + 0.05 * torch.randn(count)


def main():
    torch.manual_seed(0)
    soil, measured = chambers()
    model = Column()
    objective = torch.compile(eager_objective, backend="eager")
    optimizer = torch.optim.Adam(model.parameters(), settings.LEARNING_RATE)
    for step in range(12):
        settings.STEP = step
        chosen = torch.randperm(len(soil))[:16]
        loss = objective(model, soil[chosen], measured[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.3f}, worst {worst}")


if __name__ == "__main__":
    main()
