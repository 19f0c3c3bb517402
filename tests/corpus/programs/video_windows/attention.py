"""Attention within windows of frames."""

import logging

from torch import nn
from torch.nn import functional

log = logging.getLogger("video_windows")


class WindowAttention(nn.Module):
    def __init__(self, width, window):
        super().__init__()
        self.window = window
        self.qkv = nn.Linear(width, 3 * width)

    def partition(self, frames):
        """Windows of `frames`, padded to whole ones: shape (batch, windows, window, width)."""
        missing = -frames.shape[1] % self.window
        if missing:
            frames = functional.pad(frames, (0, 0, 0, missing))
        return frames.unflatten(1, (-1, self.window))

    def forward(self, frames):
        length = frames.shape[1]
        windows = self.partition(frames)
        q, k, v = self.qkv(windows).chunk(3, -1)
        mixed = functional.scaled_dot_product_attention(q, k, v)
        return mixed.flatten(1, 2)[:, :length]
