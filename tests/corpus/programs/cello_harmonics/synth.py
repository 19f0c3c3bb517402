"""A bowed string as harmonics, delayed by the body of the instrument."""

import torch
from torch import nn


class String(nn.Module):
    def __init__(self, controls=4, harmonics=8, samples=32):
        super().__init__()
        self.samples = samples
        self.bow = nn.Linear(controls, harmonics)
        number = torch.arange(1, harmonics + 1)
        self.register_buffer("number", number.float().unsqueeze(1))
        self.body = nn.Parameter(torch.randn(samples) * 0.1)

    def forward(self, controls, pitch, delay):
        time = torch.arange(self.samples) / self.samples
        waves = torch.sin(2 * torch.pi * pitch * self.number * time)
        amplitudes = torch.softmax(self.bow(controls), -1)
        dry = amplitudes @ waves
        return dry + dry * torch.roll(self.body, delay)
