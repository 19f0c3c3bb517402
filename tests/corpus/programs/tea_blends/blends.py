"""Blends of teas and how tasters liked them."""

import torch
from torch import nn
from torch.nn import functional


class Taster(nn.Module):
    def __init__(self, teas, width=12):
        super().__init__()
        self.nose = nn.Linear(teas, width)
        self.tongue = nn.Linear(width, width)
        self.verdict = nn.Linear(width, 1)

    def forward(self, blend):
        smelled = functional.gelu(self.nose(blend))
        tasted = functional.gelu(self.tongue(smelled))
        return self.verdict(smelled + tasted).squeeze(-1)


def tastings(count, teas):
    blend = torch.rand(count, teas).softmax(-1)
    return blend, (blend[:, 0] * blend[:, 1] * 20).sin()
