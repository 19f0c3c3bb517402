"""Experts of which each row of a table asks one."""

from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class MoEOutput:
    premium: torch.Tensor
    balance: torch.Tensor


class Expert(nn.Sequential):
    def __init__(self, width):
        super().__init__(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))


class SparseMoE(nn.Module):
    def __init__(self, width, num_experts):
        super().__init__()
        self.gate = nn.Linear(width, num_experts, bias=False)
        self.experts = nn.ModuleList(Expert(width) for _ in range(num_experts))

    def forward(self, hidden):
        probabilities = self.gate(hidden).softmax(-1)
        weight, chosen = probabilities.max(-1)
        final = torch.zeros_like(hidden)
        for number, expert in enumerate(self.experts):
            rows = torch.where(chosen == number)[0]
            current = expert(hidden[rows]) * weight[rows, None]
            final = final.index_add(0, rows, current)
        used = torch.stack([(chosen == n).float().mean() for n in range(len(self.experts))])
        return final, len(self.experts) * (used * probabilities.mean(0)).sum()


class TariffModel(nn.Module):
    def __init__(self, cardinalities, numeric, width=16, num_experts=3, layers=2):
        super().__init__()
        self.tables = nn.ModuleDict(
            {name: nn.Embedding(size, width) for name, size in cardinalities.items()}
        )
        self.numeric = nn.Linear(numeric, width)
        self.layers = nn.ModuleList(SparseMoE(width, num_experts) for _ in range(layers))
        self.head = nn.Linear(width, 1)

    def forward(self, batch):
        hidden = self.numeric(batch["numeric"])
        for name, table in self.tables.items():
            hidden = hidden + table(batch[name])
        balance = 0
        for layer in self.layers:
            update, one = layer(hidden)
            hidden, balance = hidden + update, balance + one
        return MoEOutput(self.head(hidden).squeeze(1), balance)
