import torch
from torch import nn


class ClickModel(nn.Module):
    def __init__(self, keys, rows, dim):
        super().__init__()
        self.tables = nn.ModuleDict({k: nn.Embedding(rows, dim) for k in keys})
        self.over = nn.Sequential(nn.Linear(len(keys) * dim, 12), nn.ReLU(), nn.Linear(12, 1))

    def forward(self, bag):
        pooled = []
        for key, (ids, lengths) in bag.per_key().items():
            ends = lengths.cumsum(0)
            row = torch.searchsorted(ends, torch.arange(ids.shape[0]), right=True)
            emb = self.tables[key](ids)
            pooled.append(emb.new_zeros(lengths.shape[0], emb.shape[1]).index_add(0, row, emb))
        return self.over(torch.cat(pooled, 1))[:, 0]
