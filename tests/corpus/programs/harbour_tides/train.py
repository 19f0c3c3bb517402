"""Forecasts tides with a belief that is carried along."""

import torch
from filters import Belief
from gauges import windows
from torch._dynamo import compiled_autograd
from torch.nn import functional


class Smoothness:
    """Asks neighbouring hours to be alike; how much is lowered season by season."""

    def __init__(self, start, factor):
        self.weight, self.factor = start, factor

    def __call__(self, forecast):
        jumps = forecast.diff(dim=1)
        return self.weight * jumps.square().mean()

    def relax(self):
        self.weight *= self.factor


def main(seasons=3, count=4):
    torch.manual_seed(0)
    model, smooth = Belief(), Smoothness(0.1, 0.5)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for season in range(seasons):
            model.reset()
            for now, later in windows(count, seed=season):
                forecast = model(now)
                loss = functional.mse_loss(forecast, later) + smooth(forecast)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            smooth.relax()


if __name__ == "__main__":
    main()
