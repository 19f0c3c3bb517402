"""Reach a target with a planar arm, several arms at once."""

import numpy as np


class VectorReacher:
    obs_dim, act_dim = 6, 2

    def __init__(self, num_envs, seed):
        self.num_envs = num_envs
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.angles = self.rng.uniform(-1, 1, (self.num_envs, 2))
        self.goal = self.rng.uniform(-1, 1, (self.num_envs, 2))
        return self._obs()

    def _tip(self):
        first, second = self.angles.T
        x = np.cos(first) + np.cos(first + second)
        y = np.sin(first) + np.sin(first + second)
        return 0.5 * np.stack([x, y], axis=1)

    def _obs(self):
        return np.concatenate([self.angles, self.goal, self._tip()], axis=1).astype(np.float32)

    def step(self, actions):
        self.angles = np.clip(self.angles + 0.2 * actions, -3, 3)
        gap = np.linalg.norm(self._tip() - self.goal, axis=1)
        done = gap < 0.1
        self.goal[done] = self.rng.uniform(-1, 1, (int(done.sum()), 2))
        return self._obs(), -gap.astype(np.float32), done.astype(np.float32)
