"""Smooth a signal with a cached window; the builds of windows are counted."""
import functools

import torch
import torch.nn.functional as F
from torch import nn

BUILDS = {"windows": 0}


def window(size):
    BUILDS["windows"] = BUILDS["windows"] + 1
    half = (size - 1) / 2
    place = torch.arange(size) - half
    return torch.exp(-((place / half) ** 2) * 2) / size


@functools.cache
def cached_window(size):
    return window(size)


class Smoother(nn.Module):
    def __init__(self, size=5):
        super().__init__()
        self.size = size
        self.gain = nn.Parameter(torch.ones(()))

    def forward(self, signal):
        kernel = cached_window(self.size)[None, None]
        return F.conv1d(signal[:, None], kernel * self.gain, padding=self.size // 2)[:, 0]


def main():
    torch.manual_seed(17)
    net = Smoother()
    model = torch.compile(net, backend="eager")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(12):
        signal = torch.randn(4, 30)
        loss = (model(signal) - signal.cumsum(-1)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.4f} gain {net.gain.item():.4f}")


if __name__ == "__main__":
    main()
