"""Water levels in a harbour, in windows that follow each other."""

import torch


def windows(count, hours=8, harbours=4, seed=17):
    generator = torch.Generator().manual_seed(seed)
    time = torch.arange(hours * (count + 1), dtype=torch.float32)
    moon = torch.sin(time * (2 * torch.pi / 12.4)).unsqueeze(0)
    level = moon * (1 + torch.rand(harbours, 1, generator=generator))
    level = level + 0.05 * torch.randn(level.shape, generator=generator)
    for number in range(count):
        first = number * hours
        yield level[:, first : first + hours], level[:, first + hours : first + 2 * hours]
