import torch
from torch import nn


class Autoencoder(nn.Module):
    def __init__(self, dim, code):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(dim, 16), nn.ELU(), nn.Linear(16, code))
        self.dec = nn.Sequential(nn.Linear(code, 16), nn.ELU(), nn.Linear(16, dim))

    def forward(self, x):
        code = self.enc(x)
        return self.dec(code), code
