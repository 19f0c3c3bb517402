"""Attention of notes to notes."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional


@dataclass(frozen=True)
class AttentionOptions:
    width: int = 16
    beats: int = 4
    resolution: int = 2

    @property
    def window(self):
        return self.beats * self.resolution


class Attention(nn.Module):
    def __init__(self, options):
        super().__init__()
        self.project = nn.Linear(options.width, 3 * options.width)

    def attended(self, notes):
        query, key, value = self.project(notes).chunk(3, dim=-1)
        return functional.scaled_dot_product_attention(query, key, value, is_causal=True)

    def forward(self, notes):
        return notes + self.attended(notes)


class WindowedAttention(Attention):
    """Notes hear the notes of their own window only."""

    def __init__(self, options):
        super().__init__(options)
        self.window = options.window

    def forward(self, notes):
        short = -notes.shape[1] % self.window
        heard = notes
        if short:
            heard = functional.pad(notes, (0, 0, 0, short))
        heard = heard.unflatten(1, (-1, self.window))
        heard = self.attended(heard)
        return notes + heard.flatten(1, 2)[:, : notes.shape[1]]


class Composer(nn.Module):
    def __init__(self, options, pitches=41):
        super().__init__()
        self.embed = nn.Embedding(pitches, options.width)
        self.layers = nn.ModuleList([WindowedAttention(options), Attention(options)])
        self.out = nn.Linear(options.width, pitches)

    def forward(self, pitches):
        notes = self.embed(pitches)
        for layer in self.layers:
            notes = torch.tanh(layer(notes))
        return self.out(notes)
