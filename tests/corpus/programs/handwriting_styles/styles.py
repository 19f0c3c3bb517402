"""Style vectors of writers, smoothed over the pages that were seen."""

import torch
from torch import nn


class StyleBook(nn.Module):
    """An exponential moving average of each writer's features."""

    def __init__(self, width, momentum=0.9):
        super().__init__()
        self.momentum = momentum
        self.seen = {}
        self.mix = nn.Linear(2 * width, width)

    def forward(self, features, writer):
        style = features.detach().mean(0)
        if writer in self.seen:
            style = torch.lerp(style, self.seen[writer], self.momentum)
        self.seen[writer] = style
        return self.mix(torch.cat([features, style.expand_as(features)], 1))
