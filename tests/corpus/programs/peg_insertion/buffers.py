"""Replay of what the arm did."""

from typing import NamedTuple

import torch


class ReplaySamples(NamedTuple):
    observations: torch.Tensor
    actions: torch.Tensor
    next_observations: torch.Tensor
    dones: torch.Tensor
    rewards: torch.Tensor


class ReplayBuffer:
    def __init__(self, size, obs_dim, act_dim):
        self.size, self.pos, self.full = size, 0, False
        self.observations = torch.zeros(size, obs_dim)
        self.next_observations = torch.zeros(size, obs_dim)
        self.actions = torch.zeros(size, act_dim)
        self.dones, self.rewards = torch.zeros(size, 1), torch.zeros(size, 1)

    def __len__(self):
        return self.size if self.full else self.pos

    def add(self, obs, next_obs, action, reward, done):
        self.observations[self.pos] = obs
        self.next_observations[self.pos] = next_obs
        self.actions[self.pos] = action
        self.rewards[self.pos] = reward
        self.dones[self.pos] = done
        self.pos = (self.pos + 1) % self.size
        self.full = self.full or self.pos == 0

    def sample(self, batch_size):
        rows = torch.randint(len(self), (batch_size,))
        return ReplaySamples(
            self.observations[rows],
            self.actions[rows],
            self.next_observations[rows],
            self.dones[rows],
            self.rewards[rows],
        )
