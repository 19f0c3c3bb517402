from typing import NamedTuple

import torch


class ReplayBufferSamples(NamedTuple):
    observations: torch.Tensor
    actions: torch.Tensor
    next_observations: torch.Tensor
    dones: torch.Tensor
    rewards: torch.Tensor


class ReplayBuffer:
    def __init__(self, buffer_size, obs_dim, act_dim):
        self.observations = torch.zeros(buffer_size, obs_dim)
        self.next_observations = torch.zeros(buffer_size, obs_dim)
        self.actions = torch.zeros(buffer_size, act_dim)
        self.rewards, self.dones = torch.zeros(buffer_size), torch.zeros(buffer_size)
        self.buffer_size, self.pos, self.full = buffer_size, 0, False

    def add(self, obs, next_obs, action, reward, done):
        self.observations[self.pos], self.next_observations[self.pos] = obs, next_obs
        self.actions[self.pos], self.rewards[self.pos], self.dones[self.pos] = action, reward, done
        self.pos += 1
        if self.pos == self.buffer_size:
            self.full, self.pos = True, 0

    def sample(self, batch_size):
        top = self.buffer_size if self.full else self.pos
        inds = torch.randint(0, top, (batch_size,))
        return ReplayBufferSamples(
            self.observations[inds],
            self.actions[inds],
            self.next_observations[inds],
            self.dones[inds],
            self.rewards[inds],
        )


class IceFloe:
    """A walrus that shall come to rest in the middle of its floe."""

    def __init__(self, seed):
        self.generator = torch.Generator().manual_seed(seed)

    def reset(self):
        self.x, self.t = torch.randn(4, generator=self.generator), 0
        return self.x

    def step(self, action):
        self.t += 1
        push = torch.cat([action, -0.5 * action])
        self.x = 0.95 * self.x + 0.2 * push + 0.02 * torch.randn(4, generator=self.generator)
        return self.x, -float(self.x.square().sum()), self.t >= 10
