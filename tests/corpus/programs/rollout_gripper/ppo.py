"""Proximal policy optimization: the agent and its objective."""

import torch
from torch import nn
from torch.distributions import Categorical


class Agent(nn.Module):
    def __init__(self, observed=3, actions=3, width=24):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(observed, width), nn.Tanh())
        self.policy = nn.Linear(width, actions)
        self.value = nn.Linear(width, 1)

    def forward(self, state):
        hidden = self.body(state)
        policy = Categorical(logits=self.policy(hidden), validate_args=False)
        return policy, self.value(hidden).squeeze(-1)


def surrogate(ratio, advantages, clip):
    clipped = ratio.clamp(1 - clip, 1 + clip)
    return torch.minimum(ratio * advantages, clipped * advantages).mean()


def objective(agent, batch, clip, entropy):
    policy, value = agent(batch.states)
    ratio = torch.exp(policy.log_prob(batch.actions) - batch.log_probs)
    advantages = (batch.advantages - batch.advantages.mean()) / (batch.advantages.std() + 1e-6)
    gain = surrogate(ratio, advantages, clip) + entropy * policy.entropy().mean()
    return 0.5 * (value - batch.returns).square().mean() - gain
