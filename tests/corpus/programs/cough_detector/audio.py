"""Coughs and other sounds, made of noise bursts and hums; one second each after padding."""

import torch

RATE = 800


def sound(cough, generator):
    length = int(torch.randint(RATE // 2, RATE, (), generator=generator))
    wave = 0.1 * torch.randn(length, generator=generator)
    time = torch.arange(length) / RATE
    if cough:
        start = int(torch.randint(0, length // 2, (), generator=generator))
        burst = torch.randn(length - start, generator=generator)
        wave[start:] += burst * torch.exp(-12 * time[: length - start])
    else:
        wave += 0.5 * torch.sin(6.28 * 60 * (1 + torch.rand((), generator=generator)) * time)
    return wave


def fit_length(wave, length=RATE):
    if len(wave) >= length:
        return wave[:length]
    return torch.nn.functional.pad(wave, (0, length - len(wave)))


def make_split(count, seed):
    g = torch.Generator().manual_seed(seed)
    labels = torch.randint(0, 2, (count,), generator=g)
    waves = torch.stack([fit_length(sound(bool(y), g)) for y in labels])
    return waves, labels.float()
