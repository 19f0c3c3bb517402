from typing import NamedTuple

import numpy as np
import torch


class Samples(NamedTuple):
    observations: torch.Tensor
    actions: torch.Tensor
    rewards: torch.Tensor
    next_observations: torch.Tensor
    dones: torch.Tensor


class ReplayBuffer:
    def __init__(self, size, obs_dim, act_dim, seed):
        self.rng = np.random.default_rng(seed)
        self.size, self.pos, self.full = size, 0, False
        self.obs = np.zeros((size, obs_dim), np.float32)
        self.next_obs = np.zeros((size, obs_dim), np.float32)
        self.actions = np.zeros((size, act_dim), np.float32)
        self.rewards = np.zeros(size, np.float32)
        self.dones = np.zeros(size, np.float32)

    def __len__(self):
        return self.size if self.full else self.pos

    def add(self, obs, next_obs, action, reward, done):
        self.obs[self.pos], self.next_obs[self.pos] = obs, next_obs
        self.actions[self.pos], self.rewards[self.pos] = action, reward
        self.dones[self.pos] = done
        self.pos = (self.pos + 1) % self.size
        self.full |= self.pos == 0

    def sample(self, batch_size):
        rows = self.rng.integers(0, len(self), min(batch_size, len(self)))
        arrays = (self.obs, self.actions, self.rewards, self.next_obs, self.dones)
        return Samples(*(torch.from_numpy(array[rows]) for array in arrays))
