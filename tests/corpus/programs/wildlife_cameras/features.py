"""What a camera saw, as a vector, compared with what it saw before."""

from collections import deque

import torch
from torch import nn
from torch.nn import functional


class Memory:
    """The last few batches of features."""

    def __init__(self, batches):
        self.kept = deque(maxlen=batches)

    def add(self, features):
        self.kept.append(features)

    def negatives(self, like):
        """All that is remembered; random directions as long as that is little."""
        missing = self.kept.maxlen - len(self.kept)
        fill = [torch.randn_like(like) for _ in range(missing)]
        return functional.normalize(torch.cat([*self.kept, *fill]), dim=1)


class Camera(nn.Module):
    def __init__(self, pixels=18, width=8):
        super().__init__()
        self.look = nn.Linear(pixels, width)

    def forward(self, frames):
        return functional.normalize(torch.relu(self.look(frames)) + 0.1, dim=1)
