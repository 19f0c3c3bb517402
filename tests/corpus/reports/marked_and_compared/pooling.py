import torch
from torch import nn


class StatisticsPool(nn.Module):
    """Mean and deviation over time; full batches take the fused path."""

    def __init__(self, config):
        super().__init__()
        self.expected = config.batch

    def fused(self, x):
        spread, centre = torch.var_mean(x, dim=1, unbiased=False)
        return torch.cat([centre, spread.clamp(min=1e-6).sqrt()], -1)

    def plain(self, x):
        centre = x.mean(1)
        spread = (x - centre[:, None]).square().mean(1)
        return torch.cat([centre, spread.clamp(min=1e-6).sqrt()], -1)

    def forward(self, x):
        if x.shape[0] == self.expected:
            return self.fused(x)
        return self.plain(x)
