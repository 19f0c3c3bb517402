import torch
from torch import nn


class Encode(nn.Module):
    """runs the whole down path, keeps one skip tensor per layer"""

    def __init__(self, dim, depth):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(dim, dim) for _ in range(depth)])

    def forward(self, inputs):
        x, temb = inputs
        skips = []
        for layer in self.layers:
            x = torch.tanh(layer(x) + temb[:, None])
            skips.append(x)
        return (x, temb, *skips)


class Decode(nn.Module):
    """one up layer: takes the last skip, hands the others on"""

    def __init__(self, dim):
        super().__init__()
        self.mix = nn.Linear(2 * dim, dim)

    def forward(self, inputs):
        x, temb, *skips = inputs
        x = torch.cat([x, skips[-1]], dim=-1)
        x = torch.tanh(self.mix(x) + temb[:, None])
        return (x, temb, *skips[:-1])


def build_stages(dim, depth):
    return [Encode(dim, depth)] + [Decode(dim) for _ in range(depth)]
