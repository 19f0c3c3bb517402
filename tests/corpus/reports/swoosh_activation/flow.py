import torch
from activations import SwooshL
from torch import nn


class Layer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.up, self.act, self.down = nn.Linear(dim + 1, 2 * dim), SwooshL(), nn.Linear(2 * dim, dim)

    def forward(self, x, t):
        return x + self.down(self.act(self.up(torch.cat([x, t], -1))))


class FlowDecoder(nn.Module):
    def __init__(self, dim, layers):
        super().__init__()
        self.layers = nn.ModuleList([Layer(dim) for _ in range(layers)])

    def forward(self, x, t):
        for layer in self.layers:
            x = layer(x, t)
        return x
