"""A policy for a one-dimensional walk."""

import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self, observations=5, actions=3, width=16):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(observations, width), nn.Tanh(), nn.Dropout(0.2))
        self.actor = nn.Linear(width, actions)
        self.critic = nn.Linear(width, 1)

    def forward(self, observations):
        hidden = self.body(observations)
        return self.actor(hidden), self.critic(hidden).squeeze(-1)

    @torch.no_grad()
    def act(self, observations):
        logits, _ = self(observations)
        return torch.distributions.Categorical(logits=logits).sample()
