"""Experts of two layers, held as one list per layer of the model."""

import torch
from torch import nn


class Expert(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.w1 = nn.Linear(dim, hidden, bias=False)
        self.w2 = nn.Linear(hidden, dim, bias=False)

    def forward(self, x):
        return self.w2(torch.relu(self.w1(x)))


class TopOneMoE(nn.Module):
    """Each token goes to the expert that its gate likes best (Switch Transformer)."""

    def __init__(self, dim, hidden, num_experts):
        super().__init__()
        self.gate = nn.Linear(dim, num_experts, bias=False)
        self.experts = nn.ModuleList([Expert(dim, hidden) for _ in range(num_experts)])
        self.aux_loss = None

    def forward(self, x):
        probs = self.gate(x).softmax(dim=-1)
        weight, chosen = probs.max(dim=-1)

        out = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            mine = chosen == number
            if not mine.any():
                continue
            out = out + (mine * weight).unsqueeze(-1) * expert(x)

        share = nn.functional.one_hot(chosen, len(self.experts)).float().mean(dim=(0, 1))
        self.aux_loss = len(self.experts) * (share * probs.mean(dim=(0, 1))).sum()
        return out
