"""Corals along a transect, and how fast they grow."""

import torch


class Reef:
    def __init__(self, colonies=22, traits=5, seed=6):
        generator = torch.Generator().manual_seed(seed)
        self.traits = torch.randn(colonies, traits, generator=generator)
        self.growth = self.traits[:, :2].prod(1) + 0.1 * torch.randn(colonies, generator=generator)

    def dives(self, size):
        """Colonies in the order in which a diver passes them."""
        return zip(self.traits.split(size), self.growth.split(size), strict=True)
