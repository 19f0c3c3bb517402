"""Nights of polysomnography, cut into epochs of one length."""

import torch

STAGES = ("wake", "n1", "n2", "n3", "rem")
LENGTH = 20


def night(length, generator):
    stages = torch.randint(0, len(STAGES), (length,), generator=generator)
    signal = torch.randn(length, 8, generator=generator)
    signal[torch.arange(length), stages] += 2.0
    return signal, stages


def padded(nights):
    """Stacks nights of any length at LENGTH; what is missing has stage -100."""
    signals = torch.zeros(len(nights), LENGTH, 8)
    stages = torch.full((len(nights), LENGTH), -100)
    for row, (signal, labels) in enumerate(nights):
        keep = min(len(signal), LENGTH)
        signals[row, :keep], stages[row, :keep] = signal[:keep], labels[:keep]
    return {"signal": signals, "stages": stages, "lengths": [len(one[0]) for one in nights]}


def batches(count, size=4, seed=0):
    generator = torch.Generator().manual_seed(seed)
    lengths = torch.randint(8, 30, (count, size), generator=generator)
    for row in lengths.tolist():
        yield padded([night(length, generator) for length in row])
