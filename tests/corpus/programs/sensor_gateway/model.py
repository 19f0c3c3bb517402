"""Scores how unusual a message is."""

import torch
from torch import nn


class Unusual(nn.Module):
    def __init__(self, names, hours=6, width=8):
        super().__init__()
        self.encoders = nn.ModuleDict({name: nn.Linear(hours, width) for name in names})
        self.decoders = nn.ModuleDict({name: nn.Linear(width, hours) for name in names})

    def forward(self, readings):
        codes = [self.encoders[name](values) for name, values in readings.items()]
        code = torch.stack(codes).mean(0).tanh()
        errors = [
            (self.decoders[name](code) - values).square().mean()
            for name, values in readings.items()
        ]
        return torch.stack(errors).mean()
