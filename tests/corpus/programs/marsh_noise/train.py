"""Trains the denoiser on a month of tides."""

import torch
from model import MarshModel
from noise import Clock


def tides(hours=160, gauges=10):
    time = torch.arange(hours)[:, None] / 12.4
    late = torch.linspace(0, 0.5, gauges)
    return torch.sin(6.283 * (time - late)) + 0.3 * torch.sin(6.283 * time / 29.5)


def main():
    torch.manual_seed(0)
    levels_of_month = tides()
    denoiser = MarshModel()
    model = torch.compile(denoiser, backend="aot_eager")
    optimizer = torch.optim.Adam(denoiser.parameters(), lr=0.01)
    for levels in levels_of_month.split(16):
        Clock.tick()
        loss = model(levels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.3f} after {Clock.step} steps")


if __name__ == "__main__":
    main()
