"""Replay of transitions, as in many single-file implementations."""

import numpy as np
import torch


class ReplayBuffer:
    def __init__(self, capacity, obs_dim, seed):
        self.obs = np.zeros((capacity, obs_dim), dtype=np.float32)
        self.next_obs = np.zeros_like(self.obs)
        self.actions = np.zeros(capacity, dtype=np.int64)
        self.rewards = np.zeros(capacity, dtype=np.float32)
        self.dones = np.zeros(capacity, dtype=np.float32)
        self.rng = np.random.default_rng(seed)
        self.pos, self.full = 0, False

    def add(self, obs, action, reward, next_obs, done):
        i = self.pos
        self.obs[i], self.next_obs[i] = obs, next_obs
        self.actions[i], self.rewards[i], self.dones[i] = action, reward, done
        self.pos = (i + 1) % len(self.obs)
        self.full = self.full or self.pos == 0

    def sample(self, batch_size):
        high = len(self.obs) if self.full else self.pos
        idx = self.rng.integers(0, high, batch_size)
        fields = (self.obs, self.actions, self.rewards, self.next_obs, self.dones)
        return tuple(torch.from_numpy(field[idx]) for field in fields)
