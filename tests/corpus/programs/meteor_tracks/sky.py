"""Tracks of meteors in the frames of a camera."""

import torch


class Camera:
    """Frames with one streak each; clouds now and then."""

    def __init__(self, size=10, seed=6):
        self.size = size
        self.generator = torch.Generator().manual_seed(seed)

    def frames(self, batch):
        start = torch.rand(batch, 2, generator=self.generator)
        slope = torch.rand(batch, 2, generator=self.generator) - 0.5
        t = torch.linspace(0, 1, self.size)
        path = start[..., None] + slope[..., None] * t
        grid = torch.linspace(0, 1, self.size)
        picture = torch.exp(-80 * (path[:, 0, :, None] - grid).square())
        return picture, torch.cat([start, slope], 1)

    def __call__(self, batches, batch=8):
        for _ in range(batches):
            yield self.frames(batch)
