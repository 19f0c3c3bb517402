"""Frames of speakers, dialect by dialect."""

import torch

DIALECTS = ("coast", "hills", "city")


def utterances(bands, phones, frames=14):
    for name in DIALECTS:
        yield name, torch.randn(frames, bands), torch.randint(0, phones, (frames,))
