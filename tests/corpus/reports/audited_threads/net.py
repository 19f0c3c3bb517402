import torch
from torch import nn


class Forecaster(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(width, 12)
        self.outer = nn.Linear(12, 1)

    def forward(self, x):
        return self.outer(torch.relu(self.inner(x)))
