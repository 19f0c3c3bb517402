"""Maps the characters of a postcode to a place on the unit square."""

import settings
import torch
from torch import nn

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 "


def encode(postcodes):
    return torch.tensor([[ALPHABET.index(letter) for letter in code] for code in postcodes])


class Geocoder(nn.Module):
    def __init__(self, width=16, letters=7):
        super().__init__()
        self.embed = nn.Embedding(len(ALPHABET), width)
        self.place = nn.Parameter(torch.randn(letters, width) / 4)
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(2))
        self.out = nn.Linear(width, 2)

    def forward(self, codes):
        x = self.embed(codes) + self.place
        for layer in self.layers:
            x = x + torch.relu(layer(x))
        return self.out(x.mean(1)).sigmoid()


def haversine_ish(guess, place):
    """Squared distance, softened at first."""
    squared = (guess - place).square().sum(-1)
    return (squared + settings.SMOOTHING).sqrt().mean()
