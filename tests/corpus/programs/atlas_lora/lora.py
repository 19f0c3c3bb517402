"""Low-rank adapters that are put into the linear layers of a trained model."""

import math
from contextlib import contextmanager

import torch
from torch import nn


class LoraLinear(nn.Module):
    def __init__(self, base: nn.Linear, r: int = 4, lora_alpha: int = 8):
        super().__init__()
        self.base_layer = base.requires_grad_(False)
        self.lora_A = nn.Parameter(torch.empty(r, base.in_features))
        self.lora_B = nn.Parameter(torch.zeros(base.out_features, r))
        nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))
        self.scaling = lora_alpha / r
        self.disable_adapters = False

    def forward(self, x):
        result = self.base_layer(x)
        if self.disable_adapters:
            return result
        return result + (x @ self.lora_A.T @ self.lora_B.T) * self.scaling


def get_peft_model(model, target_modules=("query", "value"), **kwargs):
    model.requires_grad_(False)
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if name in target_modules and isinstance(child, nn.Linear):
                setattr(module, name, LoraLinear(child, **kwargs))
    return model


def lora_layers(model):
    return [module for module in model.modules() if isinstance(module, LoraLinear)]


@contextmanager
def disable_adapter(model):
    """The model as it was before any adapter."""
    layers = lora_layers(model)
    for layer in layers:
        layer.disable_adapters = True
    try:
        yield model
    finally:
        for layer in layers:
            layer.disable_adapters = False


def print_trainable_parameters(model):
    trainable = sum(p.numel() for p in model.parameters() if p.requires_grad)
    total = sum(p.numel() for p in model.parameters())
    print(f"trainable params: {trainable} || all params: {total} || {100 * trainable / total:.1f}%")
