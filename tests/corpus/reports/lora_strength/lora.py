import torch
from torch import nn


class LoRALinear(nn.Module):
    def __init__(self, base, rank, g):
        super().__init__()
        self.base = base
        self.down = nn.Parameter(torch.randn(rank, base.in_features, generator=g) * 0.2, requires_grad=False)
        self.up = nn.Parameter(torch.randn(base.out_features, rank, generator=g) * 0.2, requires_grad=False)
        self.strength = 1.0

    def forward(self, x):
        return self.base(x) + self.strength * (x @ self.down.t() @ self.up.t())


def load_lora(model, rank, seed):
    g = torch.Generator().manual_seed(seed)
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, nn.Linear) and not isinstance(parent, LoRALinear):
                setattr(parent, name, LoRALinear(child, rank, g))


def set_lora_strength(model, strength):
    for m in model.modules():
        if isinstance(m, LoRALinear):
            m.strength = strength
