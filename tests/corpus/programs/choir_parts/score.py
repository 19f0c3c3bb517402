"""A choir's mixture, and the part of each voice."""

import random

import torch

PARTS = ["soprano", "alto", "tenor", "bass"]


def rehearsals(count, length=24, batch=4):
    singers = random.Random(9)
    for _ in range(count):
        time = torch.arange(length) / 4
        sung = {}
        for octave, part in enumerate(reversed(PARTS), start=1):
            phase = torch.rand(batch, 1) * 6
            sung[part] = torch.sin(octave * time + phase)
        present = singers.sample(PARTS, k=len(PARTS))
        yield torch.stack(list(sung.values())).sum(0), {part: sung[part] for part in present}
