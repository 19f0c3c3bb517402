"""What an article should cost, by its features and where it is sold."""

import torch
from torch import nn


class PriceModel(nn.Module):
    def __init__(self, locales, features=12, width=16):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(features, width), nn.SiLU(), nn.Linear(width, 1))
        self.rows = {locale: row for row, locale in enumerate(locales)}
        self.offsets = nn.Parameter(torch.linspace(-0.2, 0.2, len(self.rows)))

    def forward(self, articles, locale):
        base = self.trunk(articles).squeeze(-1)
        return torch.exp(base + self.offsets[self.rows[locale]])
