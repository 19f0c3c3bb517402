"""A recurrent mixer with its state kept in one place for all layers."""
import torch
import torch.nn as nn


class InferenceState:
    def __init__(self):
        self.slots = {}


class Mixer(nn.Module):
    def __init__(self, width, layer_idx):
        super().__init__()
        self.layer_idx = layer_idx
        self.inp = nn.Linear(width, width)
        self.gate = nn.Linear(width, width)

    def forward(self, x, state):
        past = state.slots[self.layer_idx]
        g = self.gate(x).sigmoid()
        now = g * past + (1 - g) * self.inp(x)
        past.copy_(now)
        return x + now
