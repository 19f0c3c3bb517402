"""One GraphSAGE layer over sampled neighbours."""

import torch
from torch import nn
from torch.nn import functional


class Sage(nn.Module):
    def __init__(self, width=12, hidden=16, fields=3):
        super().__init__()
        self.own = nn.Linear(width, hidden)
        self.around = nn.Linear(width, hidden, bias=False)
        self.norm = nn.LayerNorm(hidden)
        self.head = nn.Linear(hidden, fields)

    def forward(self, papers, cited):
        hidden = self.own(papers) + self.around(cited.mean(1))
        self.hidden = functional.elu(self.norm(hidden))
        return self.head(self.hidden)

    def saliency(self):
        if self.hidden.grad is None:
            return torch.zeros(self.hidden.shape[1])
        return self.hidden.grad.abs().mean(0)
