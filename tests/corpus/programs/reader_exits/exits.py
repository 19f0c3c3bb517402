"""Exits, and when to take them."""

from torch import nn


class Exit(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, classes)

    def forward(self, hidden):
        return self.out(self.norm(hidden))


class ExitPolicy:
    def __init__(self, threshold):
        self.threshold = threshold

    def satisfied(self, logits):
        confidence = logits.softmax(-1).amax(-1)
        return (confidence > self.threshold).all()
