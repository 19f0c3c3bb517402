"""Masks of frames, and the calls themselves."""

import math

import torch


def mask_frames(feats, width):
    """Silences frames from a random one on, in each of the batch."""
    batch, frames, _ = feats.shape
    begin = torch.randint(0, frames - width + 1, (batch, 1))
    place = torch.arange(frames)
    masked = (place >= begin) & (place < begin + width)
    return feats.masked_fill(masked.unsqueeze(-1), 0.0)


def calls(count, frames, n_mels, n_classes, generator):
    kind = torch.randint(n_classes, (count,), generator=generator)
    time = torch.linspace(0, 2 * math.pi, frames).view(1, frames, 1)
    mel = torch.linspace(0, 1, n_mels).view(1, 1, n_mels)
    tone = torch.sin((1 + kind.view(-1, 1, 1)) * time + 4 * mel)
    return tone + 0.3 * torch.randn(count, frames, n_mels, generator=generator), kind
