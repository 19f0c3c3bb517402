"""A vectorised environment: hold a glide path against gusts."""

import numpy as np


class Gusts:
    observation_size, action_size = 4, 2

    def __init__(self, num_envs, seed, horizon=25):
        self.num_envs, self.horizon = num_envs, horizon
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.state = self.rng.normal(size=(self.num_envs, 4)).astype(np.float32)
        self.t = 0
        return self.state.copy()

    def step(self, action):
        wind = 0.1 * self.rng.normal(size=(self.num_envs, 2)).astype(np.float32)
        self.state[:, 2:] += 0.2 * np.clip(action, -1, 1) + wind
        self.state[:, :2] += 0.1 * self.state[:, 2:]
        self.t += 1
        reward = -np.square(self.state[:, :2]).sum(1) - 0.1 * np.square(action).sum(1)
        done = self.t % self.horizon == 0
        if done:
            self.state = self.rng.normal(size=(self.num_envs, 4)).astype(np.float32)
        return self.state.copy(), reward.astype(np.float32), done
