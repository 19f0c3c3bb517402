"""A policy for a heat pump: off, low or high."""

import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self, observed=4, width=16, actions=3):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(observed, width), nn.Tanh())
        self.actor = nn.Linear(width, actions)
        self.taken = []
        self.register_buffer("exploration", torch.tensor(0.3))

    def begin(self):
        self.taken = []
        self.exploration.mul_(0.9)

    def forward(self, observation):
        logits = self.actor(self.trunk(observation))
        uniform = torch.full_like(logits, 1.0 / logits.shape[-1])
        mixed = torch.lerp(logits.softmax(-1), uniform, self.exploration)
        action = torch.multinomial(mixed, 1).squeeze(0)
        chance = logits.log_softmax(-1)[action]
        self.taken.append(chance)
        return action.item()
