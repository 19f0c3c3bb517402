"""An actor and a critic, and the clipped objective."""

from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Hyper:
    clip: float = 0.2
    entropy: float = 0.05
    cooling: float = 0.8
    value: float = 0.5
    gamma: float = 0.95
    epochs: int = 2
    minibatch: int = 16


class ActorCritic(nn.Module):
    def __init__(self, observed, choices, width=24):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Linear(observed, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh()
        )
        self.actor, self.critic = nn.Linear(width, choices), nn.Linear(width, 1)

    def forward(self, seen):
        hidden = self.trunk(seen)
        return self.actor(hidden).log_softmax(-1), self.critic(hidden).squeeze(-1)


class Objective:
    def __init__(self, net, hyper):
        self.net, self.hyper = net, hyper

    def __call__(self, seen, held, before, gains):
        logs, value = self.net(seen)
        ratio = (logs.gather(1, held[:, None]).squeeze(1) - before).exp()
        advantage = gains - value.detach()
        clipped = ratio.clamp(1 - self.hyper.clip, 1 + self.hyper.clip)
        policy = -torch.minimum(ratio * advantage, clipped * advantage).mean()
        entropy = -(logs.exp() * logs).sum(-1).mean()
        if self.hyper.entropy > 0.01:
            policy = policy - self.hyper.entropy * entropy
        return policy + self.hyper.value * (gains - value).square().mean()
