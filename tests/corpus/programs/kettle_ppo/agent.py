import math

import torch
import torch.nn as nn
from torch.distributions.normal import Normal

SQRT2 = math.sqrt(2)


def layer_init(layer, std=SQRT2, bias_const=0.0):
    torch.nn.init.orthogonal_(layer.weight, std)
    torch.nn.init.constant_(layer.bias, bias_const)
    return layer


class Agent(nn.Module):
    def __init__(self, obs_dim, act_dim, width=32):
        super().__init__()
        self.critic = nn.Sequential(
            layer_init(nn.Linear(obs_dim, width)),
            nn.Tanh(),
            layer_init(nn.Linear(width, 1), std=1.0),
        )
        self.actor_mean = nn.Sequential(
            layer_init(nn.Linear(obs_dim, width)),
            nn.Tanh(),
            layer_init(nn.Linear(width, act_dim), std=0.01),
        )
        self.actor_logstd = nn.Parameter(torch.zeros(1, act_dim))

    def get_value(self, x):
        return self.critic(x).flatten()

    def get_action_and_value(self, x, noise=None, action=None):
        mean = self.actor_mean(x)
        std = self.actor_logstd.expand_as(mean).exp()
        if action is None:
            action = mean + std * noise
        probs = Normal(mean, std, validate_args=False)
        return action, probs.log_prob(action).sum(1), probs.entropy().sum(1), self.get_value(x)
