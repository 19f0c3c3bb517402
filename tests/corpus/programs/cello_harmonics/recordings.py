"""Notes of a scale, each recorded from another place in the room."""

import torch

SCALE = {"C": 2.0, "D": 2.24, "E": 2.52, "F": 2.67, "G": 3.0, "A": 3.36}


def recorded(takes, batch=4, controls=4, samples=32, seed=9):
    """Yield controls, pitch, the delay of the room in samples, and the sound."""
    generator = torch.Generator().manual_seed(seed)
    for take in range(takes):
        for number, pitch in enumerate(SCALE.values()):
            bowing = torch.rand(batch, controls, generator=generator)
            sound = torch.randn(batch, samples, generator=generator)
            yield bowing, pitch, (number + take) % 3, sound
