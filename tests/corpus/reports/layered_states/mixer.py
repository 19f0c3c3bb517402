import torch
from torch import nn


class Mixer(nn.Module):
    def __init__(self, number, width):
        super().__init__()
        self.number = number
        self.conv = nn.Conv1d(width, width, 4, groups=width)

    def forward(self, x, state):
        if self.number not in state.columns:
            state.columns[self.number] = torch.zeros(x.shape[0], x.shape[1], state.taps)
        past = state.columns[self.number]
        both = torch.cat([past, x], dim=-1)
        state.columns[self.number] = both[..., -state.taps:]
        return x + torch.tanh(self.conv(both))
