"""A mixture of experts; every token goes to the expert with the greatest score."""

import torch
from torch import nn


class Experts(nn.Module):
    def __init__(self, width, count):
        super().__init__()
        self.gate = nn.Linear(width, count, bias=False)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
            for _ in range(count)
        )

    def forward(self, tokens):
        weights = self.gate(tokens).softmax(-1)
        best, chosen = weights.max(-1)
        output = torch.zeros_like(tokens)
        for number, expert in enumerate(self.experts):
            rows = (chosen == number).nonzero().squeeze(-1)
            output = output.index_add(0, rows, expert(tokens[rows]) * best[rows, None])
        return tokens + output


class Classifier(nn.Module):
    def __init__(self, width=16, experts=3, classes=4):
        super().__init__()
        self.embed = nn.Linear(8, width)
        self.moe = Experts(width, experts)
        self.head = nn.Linear(width, classes)

    def forward(self, tokens):
        return self.head(self.moe(self.embed(tokens)))
