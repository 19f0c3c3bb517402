"""Two convolutions over time and a classifier over their mean."""

from torch import nn


class SpeechNet(nn.Module):
    def __init__(self, features=10, width=24, classes=4):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(features, width, 3, padding=1), nn.ReLU(),
            nn.Conv1d(width, width, 3, padding=1), nn.ReLU(),
        )  # fmt: skip
        self.head = nn.Linear(width, classes)

    def forward(self, frames):
        return self.head(self.conv(frames.transpose(1, 2)).mean(-1))
