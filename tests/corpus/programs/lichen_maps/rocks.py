"""Spectra of rocks with lichen on them."""

import torch
from torch.utils.data import DataLoader, TensorDataset


def spectra(count=30, bands=10, seed=61):
    generator = torch.Generator().manual_seed(seed)
    cover = torch.rand(count, generator=generator)
    rock, lichen = torch.rand(2, bands, generator=generator)
    mixed = torch.outer(1 - cover, rock) + torch.outer(cover, lichen)
    return TensorDataset(mixed + 0.02 * torch.randn(count, bands, generator=generator), cover)


def loaders(size):
    train, check = torch.utils.data.random_split(spectra(), [22, 8])
    return DataLoader(train, size, shuffle=True), DataLoader(check, len(check))
