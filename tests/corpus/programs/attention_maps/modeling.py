"""A transformer over protein sequences."""

from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.qkv = nn.Linear(config.width, 3 * config.width)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        weights = (q @ k.transpose(1, 2) / q.shape[-1] ** 0.5).softmax(-1)
        return x + weights @ v, weights


class ProteinModel(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embed = nn.Embedding(config.alphabet, config.width)
        self.layers = nn.ModuleList(SelfAttention(config) for _ in range(config.depth))
        self.head = nn.Linear(config.width, 1)

    def forward(self, residues):
        x, maps = self.embed(residues), []
        for layer in self.layers:
            x, weights = layer(x)
            maps.append(weights)
        if self.config.maps == "none":
            maps = []
        elif self.config.maps == "last":
            maps = maps[-1:]
        return self.head(x.mean(1)).squeeze(1), maps
