import torch
from torch import nn


class Upscaler(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.first = nn.Conv2d(3, channels, 3, padding=1)
        self.second = nn.Conv2d(channels, 12, 3, padding=1)
        self.shuffle = nn.PixelShuffle(2)

    def forward(self, x):
        hidden = torch.relu(self.first(x))
        return self.shuffle(self.second(hidden)).clamp(0, 1)
