"""Predicts cadence and effort of a cyclist in whatever gear is on."""

import torch
from balance import Balance
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional

GEARS = 6


class Ride:
    """Five seconds at a time; the rider shifts now and then."""

    def __init__(self, seconds):
        self.left = seconds

    def __iter__(self):
        gear = 2
        while self.left > 0:
            self.left -= 5
            slope = torch.rand(8, 4)
            gear = (gear + int(self.left % 2)) % GEARS
            yield gear, slope, slope.sum(1) / (gear + 1), slope.prod(1) * (gear + 1)


class Cyclist(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.gears = nn.Parameter(torch.randn(GEARS, width) / 3)
        self.shared = nn.Linear(4, width)
        self.cadence, self.effort = nn.Linear(width, 1), nn.Linear(width, 1)

    def forward(self, slope, gear):
        hidden = torch.tanh(self.shared(slope) + self.gears[gear])
        return self.cadence(hidden).squeeze(-1), self.effort(hidden).squeeze(-1)


def main():
    torch.manual_seed(35)
    model = Cyclist()
    balance = Balance(("cadence", "effort"), model.shared.weight, every=4)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for gear, slope, cadence, effort in Ride(60):
            guesses = model(slope, gear)
            losses = {
                "cadence": functional.mse_loss(guesses[0], cadence),
                "effort": functional.l1_loss(guesses[1], effort),
            }
            balance.update(losses)
            optimizer.zero_grad()
            balance.total(losses).backward()
            optimizer.step()
    print({task: round(weight, 2) for task, weight in balance.weights.items()})


if __name__ == "__main__":
    main()
