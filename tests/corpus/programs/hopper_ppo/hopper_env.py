"""A one-legged hopper on a line, many at a time."""

import torch


class VecHopper:
    single_observation_shape = (5,)
    single_action_shape = (2,)

    def __init__(self, num_envs, seed):
        self.num_envs = num_envs
        self.generator = torch.Generator().manual_seed(seed)
        self.state = torch.zeros(num_envs, 5)
        self.age = torch.zeros(num_envs)

    def reset(self):
        self.state = 0.1 * torch.randn(self.num_envs, 5, generator=self.generator)
        self.age.zero_()
        return self.state.clone()

    def step(self, action):
        push = action.clamp(-1.0, 1.0)
        noise = 0.02 * torch.randn(self.num_envs, 5, generator=self.generator)
        drive = torch.cat([push, push.sum(-1, keepdim=True), push.flip(-1)], dim=-1)
        self.state = 0.9 * self.state + 0.2 * drive + noise
        self.age += 1
        reward = self.state[:, 2] - 0.05 * push.square().sum(-1)
        done = (self.age >= 12) | (self.state.abs().amax(-1) > 2.5)
        fresh = 0.1 * torch.randn(self.num_envs, 5, generator=self.generator)
        self.state = torch.where(done[:, None], fresh, self.state)
        self.age = torch.where(done, torch.zeros_like(self.age), self.age)
        return self.state.clone(), reward, done.float()
