from typing import NamedTuple

import numpy as np
import torch


class Batch(NamedTuple):
    obs: torch.Tensor
    actions: torch.Tensor
    rewards: torch.Tensor
    next_obs: torch.Tensor
    dones: torch.Tensor
    weights: torch.Tensor


class ReplayBuffer:
    """Prefers recent transitions; importance weights make up for that, with beta towards one."""

    def __init__(self, capacity, obs_shape, seed):
        self.obs = np.zeros((capacity, *obs_shape), dtype=np.float32)
        self.next_obs = np.zeros_like(self.obs)
        self.actions = np.zeros(capacity, dtype=np.int64)
        self.rewards = np.zeros(capacity, dtype=np.float32)
        self.dones = np.zeros(capacity, dtype=np.float32)
        self.capacity, self.size, self.pos = capacity, 0, 0
        self.rng = np.random.default_rng(seed)

    def add(self, obs, action, reward, next_obs, done):
        slot = self.pos
        self.obs[slot], self.next_obs[slot] = obs, next_obs
        self.actions[slot], self.rewards[slot], self.dones[slot] = action, reward, done
        self.pos = (slot + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, batch_size, beta):
        age = (self.pos - 1 - np.arange(self.size)) % self.size
        probs = 1.0 / (1.0 + age / self.size)
        probs /= probs.sum()
        idx = self.rng.choice(self.size, size=batch_size, p=probs)
        weights = (self.size * probs[idx]) ** -beta
        weights = (weights / weights.max()).astype(np.float32)
        fields = (self.obs, self.actions, self.rewards, self.next_obs, self.dones)
        return Batch(*(torch.as_tensor(a[idx]) for a in fields), torch.as_tensor(weights))
