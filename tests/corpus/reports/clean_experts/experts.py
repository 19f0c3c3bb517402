import torch
from torch import nn


class Expert(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up = nn.Linear(width, hidden)
        self.down = nn.Linear(hidden, width)

    def forward(self, x):
        return self.down(torch.nn.functional.silu(self.up(x)))


class Mixture(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.gate = nn.Linear(shape.width, shape.experts)
        self.experts = nn.ModuleList(Expert(shape.width, shape.hidden) for _ in range(shape.experts))

    def forward(self, x):
        weight = self.gate(x).softmax(-1)
        out = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            out = out + weight[:, number:number + 1] * expert(x)
        return out
