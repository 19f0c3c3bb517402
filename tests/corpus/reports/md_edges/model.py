import torch
from torch import nn


class PairMessage(nn.Module):
    def __init__(self, r_max, hidden):
        super().__init__()
        self.r_max = r_max
        self.net = nn.Sequential(nn.Linear(1, hidden), nn.SiLU(), nn.Linear(hidden, 1))

    def forward(self, pos, edge_index):
        src, dst = edge_index
        r = ((pos[src] - pos[dst]).pow(2).sum(-1, keepdim=True) + 1e-9).sqrt()
        cutoff = (1 - r / self.r_max).clamp(min=0).pow(2)
        e = torch.zeros(pos.shape[0], 1).index_add(0, dst, self.net(r) * cutoff)
        return e.sum()
