"""An encoder of convolutions and switch layers."""

import torch.nn as nn
from switch import SwitchFeedForward


class SwitchBlock(nn.Module):
    def __init__(self, d_model, n_experts):
        super().__init__()
        self.mix = nn.Conv1d(d_model, d_model, 5, padding=2, groups=d_model)
        self.ff = SwitchFeedForward(d_model, 2 * d_model, n_experts)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)

    def forward(self, x):
        x = x + self.mix(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        h, aux = self.ff(self.norm2(x))
        return x + h, aux


class SwitchEncoder(nn.Module):
    def __init__(self, vocab=30, d_model=16, n_layers=1, n_experts=3):
        super().__init__()
        self.embed = nn.Embedding(vocab, d_model)
        self.layers = nn.ModuleList(SwitchBlock(d_model, n_experts) for _ in range(n_layers))
        self.head = nn.Linear(d_model, vocab)

    def forward(self, tokens):
        x = self.embed(tokens)
        aux_loss = 0.0
        for layer in self.layers:
            x, aux = layer(x)
            aux_loss = aux_loss + aux
        return self.head(x), aux_loss
