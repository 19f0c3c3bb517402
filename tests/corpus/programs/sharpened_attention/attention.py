"""Attention whose sharpness can be set from outside."""

from torch import nn
from torch.nn import functional


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.base = (width // heads) ** -0.5
        self.sharpness = 1.0
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    @property
    def scale(self):
        return self.base * self.sharpness

    def forward(self, x):
        batch, length, width = x.shape
        qkv = self.qkv(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(*qkv, scale=self.scale)
        return self.out(mixed.transpose(1, 2).reshape(batch, length, width))
