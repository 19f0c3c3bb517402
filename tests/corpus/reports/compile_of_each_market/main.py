"""Nightly demand forecast: one compiled forecaster for each market."""
import argparse

import torch

from forecast import forecast
from markets import MARKETS, history


class Forecaster:
    """Owns the weights of one market and a compiled function for it."""

    def __init__(self, market, horizon):
        self.market = market
        self.horizon = horizon
        generator = torch.Generator().manual_seed(market.seed)
        self.kernel = torch.randn(market.lags, generator=generator) / market.lags
        self.run = torch.compile(forecast, backend="eager", dynamic=False)

    def night(self, day):
        series = history(self.market, day)
        return self.run(series, self.kernel)


class Service:
    def __init__(self, horizon):
        self.forecasters = [Forecaster(market, horizon) for market in MARKETS]

    def run(self, days):
        for day in range(days):
            total = 0.0
            for forecaster in self.forecasters:
                total += forecaster.night(day).sum().item()
            yield day, total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--days", type=int, default=3)
    parser.add_argument("--horizon", type=int, default=4)
    options = parser.parse_args()
    service = Service(options.horizon)
    for day, total in service.run(options.days):
        print("day %d total %.5f" % (day, total))


if __name__ == "__main__":
    main()
