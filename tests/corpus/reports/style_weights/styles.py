import torch
from torch import nn


class StyledLinear(nn.Module):
    """base layer and one low-rank adapter per style"""

    def __init__(self, dim, styles, rank=2):
        super().__init__()
        self.base = nn.Linear(dim, dim)
        self.down = nn.ModuleDict({s: nn.Linear(dim, rank, bias=False) for s in styles})
        self.up = nn.ModuleDict({s: nn.Linear(rank, dim, bias=False) for s in styles})
        self.scaling = {s: 0.0 for s in styles}
        self.active = []

    def forward(self, x):
        y = self.base(x)
        for name in self.active:
            y = y + self.up[name](self.down[name](x)) * self.scaling[name]
        return y


class StyledUNet(nn.Module):
    def __init__(self, dim, layers, styles):
        super().__init__()
        self.layers = nn.ModuleList([StyledLinear(dim, styles) for _ in range(layers)])

    def set_styles(self, mix):
        for layer in self.layers:
            layer.active = list(mix)
            layer.scaling.update(mix)

    def forward(self, x, t):
        for layer in self.layers:
            x = torch.nn.functional.silu(layer(x + t))
        return x
