import torch
from torch import nn


class FlowNet(nn.Module):
    """Reduction groups, then a head that always trains."""

    def __init__(self, width, groups):
        super().__init__()
        self.reduce = nn.ModuleList(nn.Linear(width, width) for _ in range(groups))
        self.head = nn.Linear(width, 3)

    def forward(self, x):
        for layer in self.reduce:
            x = torch.nn.functional.silu(layer(x)) + x
        return self.head(x)
