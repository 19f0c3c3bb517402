"""Travel of tsunami waves to buoys: pressure at the sea floor, and the height at the coast."""

import torch


def event(buoys, generator, minutes=30):
    strength = torch.rand(buoys, 1, generator=generator) * 3
    phase = torch.linspace(0, 6, minutes)
    pressure = strength * phase.sin() + 0.1 * torch.randn(buoys, minutes, generator=generator)
    return pressure, strength.squeeze(1)


def catalogue(events, buoys=6, seed=30):
    generator = torch.Generator().manual_seed(seed)
    return [event(buoys, generator) for _ in range(events)]
