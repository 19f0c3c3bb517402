"""A gripper that must close on a moving part, and what was seen while it tried."""

from dataclasses import dataclass

import torch


@dataclass
class Rollout:
    states: torch.Tensor
    actions: torch.Tensor
    log_probs: torch.Tensor
    advantages: torch.Tensor
    returns: torch.Tensor

    def minibatches(self, size):
        for chosen in torch.randperm(len(self.actions)).split(size):
            yield Rollout(*(value[chosen] for value in vars(self).values()))


@torch.no_grad()
def collect(agent, settings):
    state = torch.zeros(3)
    seen, rewards = [], []
    for now in range(settings.horizon):
        policy, value = agent(state)
        action = policy.sample()
        seen.append((state, action, policy.log_prob(action), value))
        target = torch.sin(torch.tensor(now / 9.0))
        position = state[0] + 0.1 * (action - 1)
        state = torch.stack([position, target, target - position])
        rewards.append(-(target - position).abs())
    states, actions, log_probs, values = map(torch.stack, zip(*seen, strict=True))
    advantages = torch.zeros(settings.horizon)
    following = torch.tensor(0.0)
    for now in reversed(range(settings.horizon)):
        after = values[now + 1] if now + 1 < settings.horizon else values[now]
        delta = rewards[now] + settings.discount * after - values[now]
        following = delta + settings.discount * settings.smoothing * following
        advantages[now] = following
    return Rollout(states, actions, log_probs, advantages, advantages + values)
