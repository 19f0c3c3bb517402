"""Digits from capsules."""

from capsules import Capsules, squash
from torch import nn


class Network(nn.Module):
    def __init__(self, pixels=36, size=4, primary=6, classes=5):
        super().__init__()
        self.stem = nn.Linear(pixels, primary * size)
        self.shape = (primary, size)
        self.routed = Capsules(primary, classes, size)
        self.training_rounds = 1

    @property
    def rounds(self):
        return self.training_rounds if self.training else 2

    def forward(self, images):
        poses = squash(self.stem(images.flatten(1)).unflatten(1, self.shape))
        return self.routed(poses, self.rounds).norm(dim=2)
