import torch
from torch import nn


class PatchEncoder(nn.Module):
    def __init__(self, dim, patch=8, channels=3):
        super().__init__()
        self.proj = nn.Conv2d(channels, dim, patch, patch)
        self.norm = nn.LayerNorm(dim)

    def forward(self, pixels):
        return self.norm(self.proj(pixels).flatten(2).transpose(1, 2))


def camera_trap(count, size=32, seed=0):
    """Pictures of a camera trap, some of them by night."""
    g = torch.Generator().manual_seed(seed)
    pictures = torch.rand(count, 3, size, size, generator=g)
    night = torch.rand(count, generator=g) < 0.3
    return torch.where(night[:, None, None, None], 0.2 * pictures, pictures)
