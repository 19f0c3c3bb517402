"""A vector of toy landers: fall slowly, and near the middle."""

import torch


class LanderVec:
    def __init__(self, num_envs=4, seed=0):
        self.g = torch.Generator().manual_seed(seed)
        self.num_envs = num_envs
        self.obs = torch.randn(num_envs, 8, generator=self.g)

    def step(self, action):
        thrust = (action == 2).float()
        side = (action == 1).float() - (action == 3).float()
        self.obs = self.obs * 0.95 + 0.1 * torch.randn(self.num_envs, 8, generator=self.g)
        self.obs[:, 0] += 0.1 * side
        self.obs[:, 3] += 0.2 * thrust - 0.1
        reward = -self.obs[:, 0].abs() - self.obs[:, 3].abs() - 0.03 * thrust
        done = (self.obs[:, 0].abs() > 2.0).float()
        self.obs[done.bool()] = torch.randn(8, generator=self.g)
        return self.obs.clone(), reward, done
