import torch
import torch.nn.functional as F
from torch import nn


class ResBlock(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.norm = nn.GroupNorm(4, cin)
        self.conv = nn.Conv2d(cin, cout, 3, padding=1)
        self.skip = nn.Conv2d(cin, cout, 1)

    def forward(self, x):
        return self.skip(x) + self.conv(F.silu(self.norm(x)))


class UNet(nn.Module):
    def __init__(self, channels):
        super().__init__()
        c = channels
        self.down = nn.ModuleList([ResBlock(c[i], c[i + 1]) for i in range(len(c) - 1)])
        self.up = nn.ModuleList([ResBlock(c[i + 1] * 2, c[i]) for i in reversed(range(len(c) - 1))])

    def res_blocks(self):
        return [*self.down, *self.up]

    def forward(self, x):
        skips = []
        for block in self.down:
            x = block(x)
            skips.append(x)
        for block in self.up:
            x = torch.cat([x, skips.pop()], dim=1)
            x = block(x)
        return x
