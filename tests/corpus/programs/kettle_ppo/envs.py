"""Several kettles that are to be brought to a temperature, and kept there."""

import torch


class VectorKettle:
    obs_dim, act_dim = 4, 1

    def __init__(self, num_envs, seed):
        self.num_envs = num_envs
        self.generator = torch.Generator().manual_seed(seed)

    def _rand(self):
        return torch.rand(self.num_envs, generator=self.generator)

    def reset(self):
        self.heat, self.goal, self.flow = self._rand(), 0.5 + 0.5 * self._rand(), self._rand() * 0.1
        self.last = torch.zeros(self.num_envs)
        return self.observe()

    def observe(self):
        return torch.stack([self.heat, self.goal, self.flow, self.last], dim=1)

    def step(self, action):
        power = action.squeeze(1).clamp(-1, 1)
        self.heat = self.heat + 0.2 * power - self.flow
        reward = -(self.heat - self.goal).abs() - 0.05 * (power - self.last).abs()
        self.last = power
        boiled = self.heat > 1.5
        self.heat = torch.where(boiled, self._rand(), self.heat)
        return self.observe(), reward, boiled.float()
