import torch
from scatter import scatter_sum
from torch import nn


class M3GNet(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.atom = nn.Embedding(6, hidden)
        self.bond = nn.Linear(1, hidden)
        self.update = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, batch):
        h = self.atom(batch["z"])
        msg = h[batch["src"]] * torch.tanh(self.bond(batch["length"]))
        h = h + torch.tanh(self.update(scatter_sum(msg, batch["dst"])))
        return self.out(h).mean()
