"""A recurrent filter in plain Python, like the equations in the paper."""

import torch
from torch import nn


class ReedFilter(nn.Module):
    def __init__(self, inputs=3, width=8):
        super().__init__()
        self.wind = nn.Linear(inputs, width)
        self.swell = nn.Linear(width, width, bias=False)
        self.pitch = nn.Linear(width, 1)
        self.register_buffer("rest", torch.zeros(width), persistent=False)

    def forward(self, breath):
        state, heard = self.rest.expand(len(breath), -1), []
        for moment in breath.unbind(1):
            state = torch.tanh(self.wind(moment) + self.swell(state))
            heard.append(state)
        return self.pitch(torch.stack(heard, 1)).squeeze(-1)


class Drift(nn.Module):
    """The reed itself: slow, over a whole session."""

    def __init__(self, rate=0.9):
        super().__init__()
        self.rate = rate
        self.gain = nn.Parameter(torch.zeros(()))
        self.renew()

    def renew(self):
        self.level = torch.zeros(())

    def forward(self, pitch):
        warmth = self.gain * pitch.detach().mean()
        self.level = self.rate * self.level + (1 - self.rate) * warmth
        return pitch + self.level
