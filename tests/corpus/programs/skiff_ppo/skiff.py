"""A skiff that has to reach a buoy against the wind."""

import torch


class SkiffVec:
    obs_dim, act_dim = 6, 2

    def __init__(self, num_envs, horizon=20, seed=0):
        self.num_envs, self.horizon = num_envs, horizon
        self.generator = torch.Generator().manual_seed(seed)
        self.reset()

    def reset(self):
        self.place = torch.randn(self.num_envs, 2, generator=self.generator)
        self.speed = torch.zeros(self.num_envs, 2)
        self.wind = 0.3 * torch.randn(self.num_envs, 2, generator=self.generator)
        self.age = torch.randint(0, self.horizon, (self.num_envs,), generator=self.generator)
        return self.observe()

    def observe(self):
        return torch.cat([self.place, self.speed, self.wind], dim=1)

    def step(self, action):
        self.speed = 0.8 * self.speed + 0.1 * action.clamp(-1, 1) + 0.02 * self.wind
        self.place = self.place + self.speed
        self.age += 1
        reward = -self.place.norm(dim=1)
        done = self.age >= self.horizon
        fresh = torch.randn(self.num_envs, 2, generator=self.generator)
        self.place = torch.where(done[:, None], fresh, self.place)
        self.age = torch.where(done, torch.zeros_like(self.age), self.age)
        return self.observe(), reward, done.float()
