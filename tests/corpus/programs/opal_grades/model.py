import torch
import torch.nn as nn


class OpalNet(nn.Module):
    """Grades an opal from a photograph; a second head guesses the play of colour."""

    def __init__(self, channels, grades, hidden, dropout):
        super().__init__()
        self.stem = nn.Conv2d(channels, hidden, 3, stride=2, padding=1)
        self.body = nn.Sequential(nn.GELU(), nn.Conv2d(hidden, hidden, 3, padding=1), nn.GELU())
        self.drop = nn.Dropout(dropout)
        self.head = nn.Linear(hidden, grades)
        self.colour = nn.Linear(hidden, channels)

    def forward(self, photo):
        pooled = self.body(self.stem(photo)).flatten(2).mean(-1)
        return self.head(self.drop(pooled)), torch.sigmoid(self.colour(pooled))
