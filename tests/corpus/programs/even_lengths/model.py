"""Downsamples a series by two; odd lengths get one more value."""

from torch import nn
from torch.nn import functional


class Downsampler(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(2, 4)
        self.head = nn.Linear(4, 1)

    def forward(self, series):
        if series.shape[1] % 2:
            series = functional.pad(series, (0, 1))
        pairs = series.view(series.shape[0], -1, 2)
        return self.head(self.mix(pairs).relu().mean(1))
