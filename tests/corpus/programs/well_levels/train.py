"""Forecast the water level in wells a few days ahead."""

import logging

import torch
from gauge import WellForecast, to_metres

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
logger = logging.getLogger("wells")

HISTORY, AHEAD = 14, 3


def recordings(wells, days, seed):
    generator = torch.Generator().manual_seed(seed)
    drift = torch.randn(wells, days, generator=generator).cumsum(1) * 0.2
    season = 2.5 * torch.sin(torch.arange(days) / 9.0 + torch.rand(wells, 1, generator=generator))
    return (11 + season + drift).clamp(4, 20)


def windows(current):
    spans = current.unfold(1, HISTORY + AHEAD, 1)
    return spans[..., :HISTORY].transpose(0, 1), to_metres(spans[..., HISTORY:]).transpose(0, 1)


def fit(model, optimizer, data, epochs):
    forecast = torch.compile(model, backend="aot_eager")
    for epoch in range(epochs):
        losses = []
        for current, later in zip(*data, strict=True):
            loss = torch.nn.functional.l1_loss(forecast(current), later)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        logger.info("epoch %d: mean error %.3f m", epoch, torch.stack(losses).mean().item())


if __name__ == "__main__":
    torch.manual_seed(21)
    wells = WellForecast(HISTORY, AHEAD)
    fit(wells, torch.optim.Adam(wells.parameters(), lr=1e-2), windows(recordings(10, 40, 2)), 2)
