"""Values of advertisements in a context."""

import torch
from torch import nn


class Values(nn.Module):
    def __init__(self, context=10, adverts=6, width=16):
        super().__init__()
        self.context = nn.Linear(context, width)
        self.adverts = nn.Embedding(adverts, width)
        self.bias = nn.Parameter(torch.zeros(adverts))

    def forward(self, context, advert):
        wish = self.context(context).relu()
        return (wish * self.adverts(advert)).sum(-1) + self.bias[advert]


def logged_clicks(count=52, adverts=6):
    context = torch.randn(count, 10)
    advert = torch.randint(0, adverts, (count,))
    click = (context[:, 0] + 0.2 * advert > 0.5).float()
    return context, advert, click
