"""An autoencoder of charts."""

from torch import nn


class Coder(nn.Module):
    def __init__(self, colours, width=6):
        super().__init__()
        self.encode = nn.Sequential(
            nn.Conv2d(colours, width, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(width, 2, 1),
        )
        self.decode = nn.ConvTranspose2d(2, colours, 2, stride=2)

    def forward(self, chart):
        return self.decode(self.encode(chart)).sigmoid()
