"""A classifier that mixes in its residual branch over its first steps."""

from torch import nn


class WarmResidual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.calls = 0
        self.inner = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width))

    def forward(self, x):
        self.calls += 1
        weight = min(1.0, self.calls / 100)
        return x + weight * self.inner(x)


class Net(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.stem = nn.Linear(8, width)
        self.body = WarmResidual(width)
        self.head = nn.Linear(width, 3)

    def forward(self, x):
        return self.head(self.body(self.stem(x)))
