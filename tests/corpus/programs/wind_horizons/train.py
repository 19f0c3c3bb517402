"""Trains one forecaster for all horizons."""

import torch
from data import HORIZONS, WindowSampler, series
from model import Forecaster

LAGS, LONGEST = 16, 12


def windows(power, pairs):
    history = torch.stack([power[site, start : start + LAGS] for site, start in pairs])
    future = torch.stack(
        [power[site, start + LAGS : start + LAGS + LONGEST] for site, start in pairs]
    )
    return history, future


def main():
    torch.manual_seed(0)
    power = series()
    model = Forecaster(LAGS)
    forecast = torch.compile(model, backend="eager", dynamic=False)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    sampler = WindowSampler(len(power), range(0, 90, 12), 12, torch.Generator().manual_seed(1))
    for horizon in HORIZONS:
        for pairs in sampler:
            history, future = windows(power, pairs)
            ahead = forecast(history, horizon.steps)
            loss = (ahead - future[:, : horizon.steps]).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
