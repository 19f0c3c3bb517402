"""An actor and a critic over continuous actions."""

import math

import torch
from torch import nn


class Agent(nn.Module):
    def __init__(self, observations=6, actions=2, width=16):
        super().__init__()
        self.entropy_weight = 0.05
        self.last_entropy = math.nan
        self.body = nn.Sequential(nn.Linear(observations, width), nn.Tanh())
        self.mean = nn.Linear(width, actions)
        self.log_std = nn.Parameter(torch.zeros(actions))
        self.value = nn.Linear(width, 1)

    def entropy(self):
        return (self.log_std + 0.5 * math.log(2 * math.pi * math.e)).sum()

    def forward(self, seen, done, returns):
        hidden = self.body(seen)
        value = self.value(hidden).squeeze(-1)
        off = (done - self.mean(hidden)) / self.log_std.exp()
        likelihood = -(0.5 * off.square() + self.log_std).sum(-1)
        advantage = (returns - value).detach()
        entropy = self.entropy()
        self.last_entropy = entropy.item()
        critic = (returns - value).square().mean()
        return -(advantage * likelihood).mean() + critic - self.entropy_weight * entropy
