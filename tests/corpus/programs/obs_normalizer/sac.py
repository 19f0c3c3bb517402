"""Soft actor and two critics."""

from itertools import pairwise

import torch
from normalize import RunningMeanStd
from torch import nn

LOG_STD_MIN, LOG_STD_MAX = -5.0, 2.0


def mlp(*sizes):
    layers = []
    for inputs, outputs in pairwise(sizes):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class Actor(nn.Module):
    def __init__(self, observation, action):
        super().__init__()
        self.normalize = RunningMeanStd((observation,))
        self.net = mlp(observation, 32, 2 * action)

    def forward(self, x):
        mean, log_std = self.net(self.normalize(x)).chunk(2, dim=1)
        log_std = LOG_STD_MIN + 0.5 * (LOG_STD_MAX - LOG_STD_MIN) * (torch.tanh(log_std) + 1)
        drawn = mean + log_std.exp() * torch.randn_like(mean)
        action = torch.tanh(drawn)
        log_prob = -0.5 * ((drawn - mean) / log_std.exp()).square() - log_std
        log_prob = log_prob - torch.log(1 - action.square() + 1e-6)
        return action, log_prob.sum(1)


class SoftQ(nn.Module):
    def __init__(self, observation, action):
        super().__init__()
        self.net = mlp(observation + action, 32, 1)

    def forward(self, x, a):
        return self.net(torch.cat([x, a], dim=1)).squeeze(1)
