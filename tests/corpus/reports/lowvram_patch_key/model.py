import torch
import torch.nn.functional as F
from torch import nn


@torch.compiler.disable
def move_to_compute(t):
    """stands for the copy of the weight from host memory, with a stream of its own"""
    return t.clone()


class CastLinear(nn.Linear):
    weight_function = None

    def forward(self, x):
        w = move_to_compute(self.weight)
        if self.weight_function is not None:
            w = self.weight_function(w)
        return F.linear(x, w, self.bias)


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.q = CastLinear(dim, dim)
        self.v = CastLinear(dim, dim)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        h = self.norm(x)
        return x + torch.tanh(self.q(h)) * self.v(h)


class DiffusionModel(nn.Module):
    def __init__(self, depth, dim):
        super().__init__()
        self.blocks = nn.ModuleList([Block(dim) for _ in range(depth)])

    def forward(self, x):
        for b in self.blocks:
            x = b(x)
        return x
