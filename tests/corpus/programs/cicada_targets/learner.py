"""Learns by foretelling what a slower copy of itself makes of another view."""

import copy
import itertools

import torch
from frontend import log_bands
from torch import nn
from torch.nn import functional


class Learner(nn.Module):
    def __init__(self, bands=16, width=12, every=4):
        super().__init__()
        self.online = nn.Sequential(nn.Linear(bands, width), nn.GELU(), nn.Linear(width, width))
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.predict = nn.Linear(width, width)
        self.every = every
        self.calls = itertools.count()

    @torch.no_grad()
    def refresh(self, share=0.5):
        for slow, fast in zip(self.target.parameters(), self.online.parameters(), strict=True):
            slow.lerp_(fast, share)

    def forward(self, clip):
        if next(self.calls) % self.every == 0:
            self.refresh()
        bands = log_bands(clip)
        foretold = self.predict(self.online(bands))
        target = self.target(bands.roll(1, dims=1))
        return 1 - functional.cosine_similarity(foretold, target).mean()
