"""Crowds seen by cameras: two frames, and where people moved between them."""

import torch


def moved(frame, by):
    return torch.roll(frame, shifts=by, dims=(-2, -1))


def footage(count, batch=3, size=8, seed=0):
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        before = torch.rand(batch, 1, size, size, generator=generator)
        down, right = torch.randint(-1, 2, (2,), generator=generator).tolist()
        after = moved(before, (down, right))
        flow = torch.tensor([down, right], dtype=torch.float32).view(1, 2, 1, 1)
        yield {"before": before, "after": after, "flow": flow.expand(batch, 2, size, size)}
