"""Says when a wave arrives."""

import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, channels, dilation):
        super().__init__()
        self.wide = nn.Conv1d(channels, channels, 3, padding=dilation, dilation=dilation)
        self.back = nn.Conv1d(channels, channels, 1)

    def forward(self, x):
        return x + self.back(torch.tanh(self.wide(x)))


class Picker(nn.Module):
    def __init__(self, channels=6, offload=False):
        super().__init__()
        self.enter = nn.Conv1d(3, channels, 1)
        self.body = nn.Sequential(Residual(channels, 1), Residual(channels, 2))
        self.onset = nn.Conv1d(channels, 1, 1)
        self.offload = offload

    def forward(self, waves):
        x = self.enter(waves)
        if self.offload:
            with torch.autograd.graph.save_on_cpu():
                x = self.body(x)
        else:
            x = self.body(x)
        return self.onset(x).squeeze(1)
