"""Flow from a small network, refined once."""

import torch
from torch import nn


class Flow(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.first = nn.Conv2d(2, width, 3, padding=1)
        self.coarse = nn.Conv2d(width, 2, 3, padding=1)
        self.refine = nn.Conv2d(width + 2, 2, 3, padding=1)

    def forward(self, before, after):
        seen = torch.relu(self.first(torch.cat([before, after], 1)))
        coarse = self.coarse(seen)
        return coarse + self.refine(torch.cat([seen, coarse], 1))


def endpoint_error(flow, true):
    return (flow.float() - true).square().sum(1).add(1e-3).sqrt().mean()
