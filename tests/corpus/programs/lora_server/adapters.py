"""Linear layers that serve several tenants' low-rank adapters."""

import torch
from torch import nn


class MultiLora(nn.Module):
    def __init__(self, base, rank=4):
        super().__init__()
        self.base, self.rank = base, rank
        self.down, self.up = nn.ParameterDict(), nn.ParameterDict()
        self.active = None

    def add(self, name):
        self.down[name] = nn.Parameter(torch.randn(self.rank, self.base.in_features))
        self.up[name] = nn.Parameter(torch.randn(self.base.out_features, self.rank))

    def forward(self, x):
        y = self.base(x)
        if self.active is not None:
            y = y + x @ self.down[self.active].t() @ self.up[self.active].t()
        return y


def adapted(model):
    """Every linear layer of `model` becomes one with adapters."""
    for name, child in model.named_children():
        if isinstance(child, nn.Linear):
            setattr(model, name, MultiLora(child))
        else:
            adapted(child)
    return model


def layers(model):
    return [module for module in model.modules() if isinstance(module, MultiLora)]
