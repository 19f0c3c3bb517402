"""A decoder that remembers the masks of the lengths that it has met."""

import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.masks = {}
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.value = nn.Linear(width, width)

    def mask_for(self, length):
        if length not in self.masks:
            self.masks[length] = torch.full((length, length), float("-inf")).triu(1)
        return self.masks[length]

    def forward(self, x):
        scores = self.query(x) @ self.key(x).transpose(1, 2) / x.shape[-1] ** 0.5
        return (scores + self.mask_for(x.shape[1])).softmax(-1) @ self.value(x)
