"""Low-rank adapters on top of frozen linear layers."""

import math

import torch
import torch.nn as nn


class LoRALinear(nn.Module):
    def __init__(self, base, r=4, alpha=8, dropout=0.0):
        super().__init__()
        self.base = base
        self.base.requires_grad_(False)
        self.lora_a = nn.Parameter(torch.empty(r, base.in_features))
        self.lora_b = nn.Parameter(torch.zeros(base.out_features, r))
        nn.init.kaiming_uniform_(self.lora_a, a=math.sqrt(5))
        self.scaling = alpha / r
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.base(x) + self.dropout(x) @ self.lora_a.t() @ self.lora_b.t() * self.scaling


def inject(model, targets=("q", "v"), **kwargs):
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if name in targets and isinstance(child, nn.Linear):
                setattr(module, name, LoRALinear(child, **kwargs))
    for name, p in model.named_parameters():
        p.requires_grad = "lora_" in name
    return model


def adapters_of(block):
    return [p for name, p in block.named_parameters() if "lora_" in name]


def set_depth(model, depth):
    """Only the adapters of the `depth` topmost blocks learn."""
    for height, block in enumerate(reversed(model.blocks)):
        for p in adapters_of(block):
            p.requires_grad = height < depth


def merged_norm(model):
    pairs = [m for m in model.modules() if isinstance(m, LoRALinear)]
    return sum((m.lora_b @ m.lora_a).norm() for m in pairs) * pairs[0].scaling
