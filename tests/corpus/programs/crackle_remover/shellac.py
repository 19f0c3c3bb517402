"""Windows of old records: a few tones, and crackle on top."""

import math

import torch


def windows(count, length, generator):
    time = torch.arange(length) / length
    tones = torch.rand(count, 3, generator=generator) * 12 + 1
    clean = torch.sin(2 * math.pi * tones[..., None] * time).mean(1)
    hits = (torch.rand(count, length, generator=generator) < 0.06).float()
    return clean + 2 * hits * torch.randn(count, length, generator=generator), clean
