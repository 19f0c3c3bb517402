"""Mixtures of scents, and what noses said of them."""

import torch

NOTES = ("citrus", "wood", "flower", "musk")


def panel(sittings, size=6, compounds=8, seed=81):
    generator = torch.Generator().manual_seed(seed)
    truth = torch.randn(compounds, len(NOTES), generator=generator)
    for _ in range(sittings):
        mixture = torch.rand(size, compounds, generator=generator)
        said = (mixture @ truth > 0.5).float()
        unsure = torch.rand(said.shape, generator=generator) < 0.1
        yield mixture, torch.where(unsure, 1 - said, said)
