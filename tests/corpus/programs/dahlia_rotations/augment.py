"""Augmentations of whole batches, as tensors."""

import math

import torch
import torch.nn.functional as F


class RandomAffine:
    """Rotate and scale each image of a batch, with probability `p` for the batch."""

    def __init__(self, degrees=20.0, scale=(0.8, 1.2), p=0.5, seed=0):
        self.degrees, self.scale, self.p = degrees, scale, p
        self.generator = torch.Generator().manual_seed(seed)

    def uniform(self, n, low, high):
        return low + (high - low) * torch.rand(n, generator=self.generator)

    def __call__(self, images):
        if torch.rand((), generator=self.generator) >= self.p:
            return images
        n = images.shape[0]
        angle = self.uniform(n, -self.degrees, self.degrees) * math.pi / 180
        scale = self.uniform(n, *self.scale)
        cos, sin = scale * angle.cos(), scale * angle.sin()
        theta = images.new_zeros(n, 2, 3)
        theta[:, 0, 0], theta[:, 0, 1] = cos, -sin
        theta[:, 1, 0], theta[:, 1, 1] = sin, cos
        grid = F.affine_grid(theta, list(images.shape), align_corners=False)
        return F.grid_sample(images, grid, padding_mode="reflection", align_corners=False)


def random_flip(images, generator):
    flip = torch.rand(len(images), generator=generator) < 0.5
    return torch.where(flip[:, None, None, None], images.flip(-1), images)
