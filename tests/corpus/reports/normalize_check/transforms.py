import torch
from torch import nn


def standardize(images, mean, std):
    """Per-channel standardization of a batch of images (B, C, H, W)."""
    if not images.is_floating_point():
        raise TypeError("images must be floating point")
    mean = torch.as_tensor(mean, dtype=images.dtype)
    std = torch.as_tensor(std, dtype=images.dtype)
    if (std == 0).any():
        raise ValueError("std has a zero, which leads to a division by zero")
    return (images - mean.view(-1, 1, 1)) / std.view(-1, 1, 1)


class Standardize(nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        self.register_buffer("mean", torch.tensor(mean))
        self.register_buffer("std", torch.tensor(std))

    def forward(self, images):
        return standardize(images, self.mean, self.std)
