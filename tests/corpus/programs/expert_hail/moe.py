"""A layer of experts of which each row sees one."""

import torch
from torch import nn


class Expert(nn.Sequential):
    def __init__(self, width, inner):
        super().__init__(nn.Linear(width, inner), nn.GELU(), nn.Linear(inner, width))


class SwitchLayer(nn.Module):
    def __init__(self, width, experts=3, inner=16):
        super().__init__()
        self.router = nn.Linear(width, experts, bias=False)
        self.experts = nn.ModuleList(Expert(width, inner) for _ in range(experts))
        self.balance = torch.zeros(())

    def dispatch(self, chosen):
        for number, expert in enumerate(self.experts):
            rows = (chosen == number).nonzero().squeeze(1)
            if len(rows):
                yield rows, expert

    def forward(self, x):
        shares = self.router(x).softmax(1)
        weight, chosen = shares.max(1, keepdim=True)
        chosen = chosen.squeeze(1)
        out = torch.zeros_like(x)
        for rows, expert in self.dispatch(chosen):
            out = out.index_add(0, rows, expert(x[rows]) * weight[rows])
        counts = torch.bincount(chosen, minlength=len(self.experts)) / len(x)
        self.balance = len(self.experts) * (counts * shares.mean(0)).sum()
        return x + out
