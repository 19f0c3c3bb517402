import torch
from herds import BREEDS, FEEDS
from torch import nn


class TabularEncoder(nn.Module):
    def __init__(self, numbers=2, dim=8):
        super().__init__()
        self.table = nn.Embedding(BREEDS + FEEDS, dim)
        self.numbers = nn.Linear(numbers, dim)
        self.mix = nn.Sequential(nn.Linear(3 * dim, 2 * dim), nn.GELU())

    def forward(self, numbers, categories):
        both = self.table(categories).flatten(-2)
        return self.mix(torch.cat([both, self.numbers(numbers)], dim=-1))


class Forecaster(nn.Module):
    """A leaky memory over the encoded days of a window."""

    def __init__(self, dim=16):
        super().__init__()
        self.encode = TabularEncoder()
        self.gate = nn.Linear(dim, dim)
        self.carry = nn.Linear(dim, dim)
        self.head = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 1))

    def initial_state(self):
        return torch.zeros(self.carry.in_features)

    def forward(self, numbers, categories, state):
        days = self.encode(numbers, categories)
        start = torch.tanh(self.carry(state))
        leak = torch.sigmoid(self.gate(days))
        hidden = start + torch.cumsum(leak * days, dim=0) / days.shape[0]
        return self.head(hidden).squeeze(-1), hidden
