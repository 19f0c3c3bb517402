"""Forecasts how far a beam is seen; records differ in length and none is padded."""

import random
import time
from dataclasses import dataclass

import torch
from torch import nn
from weather import Log, logs


@dataclass(frozen=True)
class Options:
    steps: int = 10
    width: int = 12
    kernel: int = 3
    gate: str = "sigmoid"


GATES = {"sigmoid": torch.sigmoid, "tanh": torch.tanh}


class Beam(nn.Module):
    def __init__(self, options):
        super().__init__()
        self.options = options
        self.mix = nn.Conv1d(2, options.width, options.kernel, padding=options.kernel // 2)
        self.out = nn.Linear(options.width, 1)

    def forward(self, log):
        hidden = GATES[self.options.gate](self.mix(log.T).T)
        weights = torch.softmax(hidden.mean(-1), 0)
        return self.out((weights[:, None] * hidden).sum(0)).squeeze()


def main():
    torch.manual_seed(22)
    draw = random.Random(22)
    options = Options()
    beam = Beam(options)
    forecast = torch.compile(beam, backend="eager", dynamic=True)
    optimizer = torch.optim.Adam(beam.parameters(), lr=0.02)
    lengths = [draw.randrange(10, 41) for _ in range(options.steps)]
    began = time.perf_counter()
    for log in logs(lengths):
        seen = forecast(log.tensor())
        loss = (seen - 10 * (1 - log.fog.mean())).square()
        loss = loss / (1 + log.number)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"log {log.number}: {loss.item():.3f} after {time.perf_counter() - began:.1f} s")
    print(f"{Log.count} logs")


if __name__ == "__main__":
    main()
