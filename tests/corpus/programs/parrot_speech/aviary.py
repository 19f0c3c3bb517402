"""Calls of parrots, mono or stereo, as the microphones were."""

import torch


def call(batch, samples, stereo):
    t = torch.linspace(0, 1, samples)
    pitch = torch.rand(batch, 1) * 20 + 5
    sound = torch.sin(2 * torch.pi * pitch * t)
    if stereo:
        sound = torch.stack([sound, sound.roll(3, -1)], 1)
    return sound, (pitch[:, 0] > 15).long()


class Aviary:
    def __init__(self, cages=("east", "west", "lake"), batch=8, samples=64):
        self.cages, self.batch, self.samples = cages, batch, samples

    def night(self):
        for cage in self.cages:
            yield cage, *call(self.batch, self.samples, stereo=cage == "lake")
