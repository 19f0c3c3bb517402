"""Anchors over a grid and the targets of a picture."""

import functools

import torch


@functools.cache
def anchors(grid, sizes=(0.2, 0.4)):
    line = (torch.arange(grid) + 0.5) / grid
    y, x, size = torch.meshgrid(line, line, torch.tensor(sizes), indexing="ij")
    return torch.stack([x, y, size, size], -1).flatten(0, 2)


def pictures(count, *, grid, rows=4, seed=0):
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        centers = torch.rand(rows, 2, generator=generator)
        image = torch.rand(rows, 1, 4 * grid, 4 * grid, generator=generator)
        boxes = torch.cat([centers, torch.full((rows, 2), 0.3)], 1)
        yield image, boxes
