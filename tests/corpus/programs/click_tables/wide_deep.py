"""Wide and deep, for clicks."""

import torch.nn as nn
from features import FIELDS


class WideDeep(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.embeddings = nn.ModuleDict({n: nn.Embedding(s, dim) for n, s in FIELDS.items()})
        self.wide = nn.ModuleDict({n: nn.Embedding(s, 1) for n, s in FIELDS.items()})
        self.price = nn.Linear(3, dim)
        self.dwell = nn.Linear(2, dim)
        self.deep = nn.Sequential(nn.Linear(dim, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, inputs):
        deep = self.price(inputs["price"].to(self.price.weight.dtype))
        wide = 0
        for name, table in self.embeddings.items():
            deep = deep + table(inputs[name])
            wide = wide + self.wide[name](inputs[name])
        if "dwell" in inputs:
            deep = deep + self.dwell(inputs["dwell"])
        return (wide + self.deep(deep)).squeeze(-1)
