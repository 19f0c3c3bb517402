"""Forecasts the load of a grid; each night the model is validated."""

import torch
from modes import evaluating
from torch import nn
from torch.nn import functional


class Forecast(nn.Module):
    def __init__(self, hours=24, width=16):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(hours, width), nn.ReLU(), nn.Dropout(0.1), nn.Linear(width, hours)
        )

    def forward(self, day):
        return self.layers(day)


def main():
    torch.manual_seed(7)
    days, held = torch.randn(64, 24), torch.randn(16, 24)
    model = torch.compile(Forecast(), backend="aot_eager")
    optimizer = torch.optim.Adam(model.parameters())
    for _night in range(3):
        for day in days.split(16):
            loss = functional.l1_loss(model(day), day.roll(1, 1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with evaluating(model) as steady:
            functional.l1_loss(steady(held), held.roll(1, 1))


if __name__ == "__main__":
    main()
