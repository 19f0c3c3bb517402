"""Clips of songs, as spectra."""

import torch


def clips(count, bands=8, frames=10, seed=0):
    generator = torch.Generator().manual_seed(seed)
    for index in range(count):
        channels = 1 if index % 4 == 2 else 2
        yield torch.rand(6, channels, bands, frames, generator=generator).squeeze(1)


@torch.compiler.disable
def masked(spectra, width=2):
    first = (spectra.shape[-1] - width) // 2
    kept = torch.ones(spectra.shape[-1])
    kept[first : first + width] = 0
    return spectra * kept
