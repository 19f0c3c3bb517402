"""Low-rank adapters around frozen linear layers."""

import torch
from torch import nn


class LoraLinear(nn.Module):
    def __init__(self, base, rank):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Parameter(torch.randn(rank, base.in_features) * 0.1)
        self.up = nn.Parameter(torch.randn(base.out_features, rank) * 0.1)

    def forward(self, x):
        return self.base(x) + (x @ self.down.t()) @ self.up.t()


def adapt(model, rank):
    for name, child in list(model.named_children()):
        if isinstance(child, nn.Linear):
            setattr(model, name, LoraLinear(child, rank))
        else:
            adapt(child, rank)
    return model


def halves(model, which):
    return [p for n, p in model.named_parameters() if n.rpartition(".")[2] == which]
