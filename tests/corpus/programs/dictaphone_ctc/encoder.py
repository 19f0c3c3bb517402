"""A convolutional acoustic encoder with masked attention."""

import torch
from torch import nn


def make_pad_mask(lengths):
    """True where a frame is padding."""
    longest = int(lengths.max().item())
    return torch.arange(longest).unsqueeze(0) >= lengths.unsqueeze(1)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.query_key_value = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x, pad_mask):
        q, k, v = self.query_key_value(self.norm(x)).chunk(3, dim=-1)
        scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
        scores = scores.masked_fill(pad_mask.unsqueeze(1), -1e9)
        return x + self.out(scores.softmax(-1) @ v)


class AcousticEncoder(nn.Module):
    def __init__(self, bands=8, width=24, letters=9, blocks=2):
        super().__init__()
        self.embed = nn.Conv1d(bands, width, 3, padding=1)
        self.blocks = nn.ModuleList(Block(width) for _ in range(blocks))
        self.classify = nn.Linear(width, letters)

    def forward(self, features, lengths):
        pad_mask = make_pad_mask(lengths)
        x = torch.relu(self.embed(features.transpose(1, 2))).transpose(1, 2)
        for block in self.blocks:
            x = block(x, pad_mask)
        return self.classify(x).log_softmax(-1)
