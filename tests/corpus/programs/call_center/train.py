"""Forecasts calls to a call center, smoother and smoother."""

import settings
import torch
from losses import objective
from torch import nn


def days(count, batch=16):
    generator = torch.Generator().manual_seed(5)
    for _ in range(count):
        load = torch.rand(batch, 1, generator=generator) * 4 + 1
        past = torch.poisson(load.expand(-1, 24), generator=generator)
        yield past, torch.poisson(load.expand(-1, settings.HORIZON), generator=generator)


def build():
    return nn.Sequential(
        nn.Linear(24, settings.WIDTH), nn.ReLU(), nn.Linear(settings.WIDTH, settings.HORIZON)
    )


def anneal(epoch, epochs, highest=0.3):
    settings.SMOOTHNESS = highest * epoch / (epochs - 1)


def main(epochs=5):
    torch.manual_seed(0)
    model = build()
    optimizer = torch.optim.NAdam(model.parameters(), lr=2e-3)

    @torch.compile(backend="eager")
    def forward(past, calls):
        return objective(model(past.log1p()), calls)

    for epoch in range(epochs):
        anneal(epoch, epochs)
        for past, calls in days(4):
            loss = forward(past, calls)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    main()
