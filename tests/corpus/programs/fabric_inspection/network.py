"""A small encoder and decoder; what the decoder misses is a fault."""

from torch import nn


def stage(inputs, outputs, up=False):
    kind = nn.ConvTranspose2d if up else nn.Conv2d
    return nn.Sequential(kind(inputs, outputs, 2, stride=2), nn.InstanceNorm2d(outputs), nn.GELU())


class Weave(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.down = nn.ModuleList([stage(1, width), stage(width, 2 * width)])
        self.up = nn.ModuleList([stage(2 * width, width, up=True)])
        self.last = nn.ConvTranspose2d(width, 1, 2, stride=2)

    def forward(self, cloth):
        for block in (*self.down, *self.up):
            cloth = block(cloth)
        return self.last(cloth)
