"""A tarpon in a tank with a current: it should stay near a point that moves."""

import numpy as np


class Tank:
    obs_dim, act_dim, act_limit, horizon = 5, 2, 0.5, 15

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.place = self.rng.uniform(-1, 1, 2).astype(np.float32)
        self.lure = self.rng.uniform(-1, 1, 2).astype(np.float32)
        self.t = 0
        return self._obs()

    def _obs(self):
        return np.append(np.concatenate([self.place, self.lure]), self.t / self.horizon)

    def step(self, action):
        current = 0.05 * np.array([np.cos(self.t), np.sin(self.t)])
        self.place = np.clip(self.place + action + current, -2, 2)
        self.lure = self.lure + self.rng.normal(0, 0.02, 2)
        self.t += 1
        reward = -float(np.abs(self.place - self.lure).sum())
        return self._obs(), reward, self.t >= self.horizon
