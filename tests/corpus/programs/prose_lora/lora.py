import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class LoRALinear(nn.Linear):
    def __init__(self, in_features, out_features, r=2, lora_alpha=8, lora_dropout=0.05):
        super().__init__(in_features, out_features)
        self.lora_A = nn.Parameter(torch.empty(r, in_features))
        self.lora_B = nn.Parameter(torch.zeros(out_features, r))
        self.scaling = lora_alpha / r
        self.lora_dropout = nn.Dropout(lora_dropout)
        nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))
        self.weight.requires_grad = False
        self.bias.requires_grad = False

    def forward(self, x):
        result = F.linear(x, self.weight, self.bias)
        update = self.lora_dropout(x) @ self.lora_A.T @ self.lora_B.T
        return result + update * self.scaling


def lora_state_dict(model):
    return {k: v for k, v in model.state_dict().items() if "lora_" in k}


def mark_only(model, *parts):
    """Only parameters whose name has one of the parts stay trainable."""
    for name, p in model.named_parameters():
        p.requires_grad = any(part in name for part in parts)
