"""A vectorised gridworld: walk down the corridor, avoid the puddles."""

import numpy as np


class CorridorVec:
    """`num_envs` corridors side by side, with the autoreset of gymnasium's vector envs."""

    def __init__(self, num_envs, length=9, seed=1):
        self.num_envs, self.length = num_envs, length
        self.rng = np.random.default_rng(seed)
        self.single_observation_shape = (length + 2,)
        self.num_actions = 3
        self.position = np.zeros(num_envs, dtype=np.int64)
        self.clock = np.zeros(num_envs, dtype=np.int64)
        self.puddles = np.zeros((num_envs, length), dtype=np.float32)

    def _start(self, which):
        self.position[which] = 0
        self.clock[which] = 0
        self.puddles[which] = self.rng.random((int(which.sum()), self.length)) < 0.25

    def _observe(self):
        where = self.position[:, None] / self.length
        when = self.clock[:, None] / 20.0
        return np.concatenate([self.puddles, where, when], axis=1).astype(np.float32)

    def reset(self):
        self._start(np.ones(self.num_envs, dtype=bool))
        return self._observe()

    def step(self, action):
        stride = np.array([0, 1, 2])[action]
        self.position = np.minimum(self.position + stride, self.length - 1)
        self.clock += 1
        wet = self.puddles[np.arange(self.num_envs), self.position]
        arrived = self.position == self.length - 1
        reward = (arrived * 1.0 - 0.3 * wet - 0.02).astype(np.float32)
        done = arrived | (self.clock >= 20)
        self._start(done)
        return self._observe(), reward, done.astype(np.float32)
