"""A glider in thermals: state is height, speed, pitch and lift; action the change of pitch."""

import numpy as np


class GliderEnv:
    observation_dim, action_dim = 4, 1

    def __init__(self, seed=0, horizon=40):
        self.rng = np.random.default_rng(seed)
        self.horizon = horizon

    def reset(self):
        self.t = 0
        self.state = np.array([1.0, 0.5, 0.0, self.rng.normal() * 0.3])
        return self._obs()

    def _obs(self):
        return self.state.astype(np.float32)

    def step(self, action):
        height, speed, pitch, lift = self.state
        pitch = np.clip(pitch + 0.1 * float(action[0]), -0.5, 0.5)
        speed = np.clip(speed - 0.1 * pitch + 0.02 * self.rng.normal(), 0.0, 2.0)
        height = height + 0.1 * (speed * pitch + lift - 0.15)
        lift = 0.9 * lift + 0.1 * self.rng.normal()
        self.state = np.array([height, speed, pitch, lift])
        self.t += 1
        done = bool(height <= 0)
        reward = float(0.1 * lift + 0.05 * speed - 1.0 * done)
        return self._obs(), reward, done, self.t >= self.horizon
