"""Ultrasound of moths, from traps with one microphone or two."""

import torch

SAMPLES = 512


def recording(microphones, generator):
    clip = torch.randn(microphones, SAMPLES, generator=generator)
    clip = clip / clip.abs().amax(dim=-1, keepdim=True)
    return clip.squeeze()


def nights(count=4):
    generator = torch.Generator().manual_seed(11)
    traps = (2, 1, 2, 2, 1)
    for night in range(count):
        yield night, [recording(microphones, generator) for microphones in traps]
