import torch
from torch import nn

from resize import match


class Stage(nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        self.conv = nn.Conv1d(inner, outer, 3, padding=1)

    def forward(self, x):
        return torch.relu(self.conv(x))


class Denoiser(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.down = nn.ModuleList([Stage(1, width), Stage(width, width), Stage(width, width)])
        self.up = nn.ModuleList([Stage(2 * width, width), Stage(2 * width, width)])
        self.out = nn.Conv1d(width, 1, 1)

    def forward(self, x):
        kept = []
        for stage in self.down:
            x = stage(x)
            kept.append(x)
            x = nn.functional.avg_pool1d(x, 2)
        x = match(x, kept.pop().shape[-1])
        for stage in self.up:
            skip = kept.pop()
            x = match(x, skip.shape[-1])
            x = stage(torch.cat([x, skip], 1))
        return self.out(x)
