import torch
from torch import nn

from pooling import StatisticsPool


class Embedder(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.inner = nn.Linear(config.bands, config.width)
        self.pool = StatisticsPool(config)
        self.outer = nn.Linear(2 * config.width, config.width)

    def forward(self, clip):
        return self.outer(self.pool(torch.relu(self.inner(clip))))
