"""Charge curves of lithium cells that lose capacity, faster after the knee."""

import torch


def capacity(settings):
    g = torch.Generator().manual_seed(settings.seed)
    cycle = torch.arange(settings.cycles, dtype=torch.float32)
    slope = 0.0005 + 0.001 * torch.rand(settings.cells, 1, generator=g)
    knee = 40 + 30 * torch.rand(settings.cells, 1, generator=g)
    faded = 1 - slope * cycle - 0.004 * (cycle - knee).clamp(min=0)
    return faded + 0.002 * torch.randn(settings.cells, settings.cycles, generator=g)


class Windows:
    """Random windows, each with the fade ten cycles later."""

    def __init__(self, settings, ahead=10):
        self.curves = capacity(settings)
        self.window, self.ahead, self.batch = settings.window, ahead, settings.batch
        self.g = torch.Generator().manual_seed(settings.seed + 1)

    def draw(self):
        cells, cycles = self.curves.shape
        who = torch.randint(0, cells, (self.batch, 1), generator=self.g)
        last = cycles - self.window - self.ahead
        start = torch.randint(0, last, (self.batch, 1), generator=self.g)
        seen = self.curves[who, start + torch.arange(self.window)]
        later = self.curves[who, start + self.window + self.ahead - 1]
        return seen, (seen[:, -1:] - later).squeeze(1)
