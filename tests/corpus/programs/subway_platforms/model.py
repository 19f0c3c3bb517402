"""A convolution over the minutes, with a skip that shifts train."""

import torch
from torch import nn
from torch.nn import functional


class Crowd(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.past = nn.Conv1d(1, width, 3)
        self.gain = nn.Conv1d(width, 1, 1)
        self.bias = nn.ParameterDict(
            {"day": nn.Parameter(torch.zeros(1)), "night": nn.Parameter(torch.zeros(1))}
        )

    def forward(self, arrivals, shift):
        x = functional.pad(arrivals.unsqueeze(1), (2, 0))
        x = functional.relu(self.past(x))
        return self.gain(x).squeeze(1).cumsum(1) + self.bias[shift]


def freeze_except(model, names):
    for name, parameter in model.named_parameters():
        parameter.requires_grad = any(name.startswith(one) for one in names)
