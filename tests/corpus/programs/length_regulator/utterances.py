"""Utterances of twelve phonemes with their durations and spectrograms."""

import torch

LONGEST = 60


def utterance(generator):
    phonemes = torch.randint(0, 30, (12,), generator=generator)
    durations = torch.randint(1, 5, (12,), generator=generator)
    frames = torch.randn(int(durations.sum()), 8, generator=generator)
    return phonemes, durations, frames


def corpus(count=8, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return [utterance(generator) for _ in range(count)]
