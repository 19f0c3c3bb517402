"""Classifies clips of any length."""

from attention import WindowAttention, log
from torch import nn


class ClipClassifier(nn.Module):
    def __init__(self, width=10, classes=3, window=4):
        super().__init__()
        self.attend = WindowAttention(width, window)
        self.head = nn.Linear(width, classes)

    def forward(self, frames):
        frames = frames + self.attend(frames)
        pooled = frames.amax(1)
        if self.training:
            log.debug("pooled %s frames", frames.shape[1])
        return self.head(pooled)
