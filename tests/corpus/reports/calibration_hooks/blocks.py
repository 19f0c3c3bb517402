import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)
        self.gate = nn.Linear(dim, 2 * dim)
        self.up = nn.Linear(dim, 2 * dim)
        self.down = nn.Linear(2 * dim, dim)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        x = x + self.out((q @ k.transpose(1, 2) / q.shape[-1] ** 0.5).softmax(-1) @ v)
        return x + self.down(torch.nn.functional.silu(self.gate(x)) * self.up(x))


def make_model(layers, dim):
    return nn.ModuleList([Block(dim) for _ in range(layers)]).requires_grad_(False)
