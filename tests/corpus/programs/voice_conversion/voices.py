"""Pairs of a spectrum and who spoke it."""

import torch


class Voices:
    def __init__(self, speakers, bands, clips=6, seed=0):
        self.generator = torch.Generator().manual_seed(seed)
        self.colour = torch.randn(speakers, bands, generator=self.generator)
        self.clips = clips

    def __iter__(self):
        speakers, bands = self.colour.shape
        for _ in range(4):
            who = torch.randint(0, speakers, (self.clips,), generator=self.generator)
            said = torch.randn(self.clips, bands, generator=self.generator)
            yield said + self.colour[who], who
