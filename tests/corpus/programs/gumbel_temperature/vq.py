"""A discrete autoencoder with a Gumbel-softmax whose temperature is annealed."""

import torch
from torch import nn
from torch.nn import functional


class DiscreteAutoencoder(nn.Module):
    def __init__(self, features=16, codes=12, width=24):
        super().__init__()
        self.temperature = 1.0
        self.encoder = nn.Sequential(nn.Linear(features, width), nn.ReLU(), nn.Linear(width, codes))
        self.codebook = nn.Linear(codes, width, bias=False)
        self.decoder = nn.Sequential(nn.ReLU(), nn.Linear(width, features))

    def forward(self, x):
        logits = self.encoder(x)
        noise = -torch.empty_like(logits).exponential_().log()
        soft = functional.softmax((logits + noise) / self.temperature, dim=-1)
        return self.decoder(self.codebook(soft)), soft
