from typing import NamedTuple

import numpy as np
import torch


class Batch(NamedTuple):
    observations: torch.Tensor
    actions: torch.Tensor
    next_observations: torch.Tensor
    rewards: torch.Tensor
    dones: torch.Tensor


class ReplayBuffer:
    """A ring of transitions, in numpy."""

    def __init__(self, size, obs_dim, act_dim, seed=0):
        self.obs = np.zeros((size, obs_dim), np.float32)
        self.next_obs = np.zeros((size, obs_dim), np.float32)
        self.actions = np.zeros((size, act_dim), np.float32)
        self.rewards = np.zeros(size, np.float32)
        self.dones = np.zeros(size, np.float32)
        self.rng = np.random.default_rng(seed)
        self.size, self.pos, self.full = size, 0, False

    def __len__(self):
        return self.size if self.full else self.pos

    def add(self, obs, action, next_obs, reward, done):
        i = self.pos
        self.obs[i], self.actions[i], self.next_obs[i] = obs, action, next_obs
        self.rewards[i], self.dones[i] = reward, done
        self.pos = (i + 1) % self.size
        self.full = self.full or self.pos == 0

    def sample(self, batch_size):
        batch_size = min(batch_size, len(self))
        idx = self.rng.choice(len(self), size=batch_size, replace=False)
        columns = (self.obs, self.actions, self.next_obs, self.rewards, self.dones)
        return Batch(*(torch.from_numpy(column[idx]) for column in columns))
