"""Attention within windows."""

from torch import nn
from windows import windows


class Windowed(nn.Module):
    def __init__(self, width=8, size=8):
        super().__init__()
        self.size = size
        self.q, self.k, self.v = (nn.Linear(width, width) for _ in range(3))

    def forward(self, x):
        cut = windows(x, self.size)
        scores = self.q(cut) @ self.k(cut).transpose(2, 3)
        return (scores.softmax(-1) @ self.v(cut)).mean((1, 2))
