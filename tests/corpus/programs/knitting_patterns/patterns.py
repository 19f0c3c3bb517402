"""Charts of stitches: some drawn by a program, some photographed from books."""

import numpy as np
import torch

SIZE, COLOURS = 8, 3


def drawn(batch):
    rows = torch.arange(SIZE)
    period = torch.randint(2, 5, (batch, 1, 1))
    stripes = ((rows[:, None] + rows) % period == 0).float()
    return stripes[:, None].repeat(1, COLOURS, 1, 1)


def photographed(batch, draw=np.random.default_rng(8)):  # noqa: B008
    photos = draw.random((batch, SIZE, SIZE, COLOURS), dtype=np.float32)
    return torch.from_numpy(photos).permute(0, 3, 1, 2)


def batches(count, batch=8):
    for number in range(count):
        yield drawn(batch) if number % 2 == 0 else photographed(batch)
