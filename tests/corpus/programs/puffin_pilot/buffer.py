from typing import NamedTuple

import numpy as np
import torch


class ReplayBufferSamples(NamedTuple):
    observations: torch.Tensor
    actions: torch.Tensor
    next_observations: torch.Tensor
    rewards: torch.Tensor
    dones: torch.Tensor


class ReplayBuffer:
    def __init__(self, size, seed):
        self.size, self.rows = size, []
        self.rng = np.random.default_rng(seed)

    def add(self, obs, next_obs, actions, rewards, done):
        for row in zip(obs, actions, next_obs, rewards, strict=True):
            self.rows.append((*row, np.float32(done)))
        del self.rows[: -self.size]

    def sample(self, batch_size):
        picks = self.rng.integers(len(self.rows), size=batch_size)
        columns = zip(*(self.rows[i] for i in picks), strict=True)
        return ReplayBufferSamples(*(torch.from_numpy(np.stack(column)) for column in columns))
