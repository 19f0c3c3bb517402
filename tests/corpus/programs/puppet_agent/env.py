import numpy as np


class PuppetEnv:
    """Hold an arm on two strings upright; three pulls are possible."""

    n_actions, obs_dim, horizon = 3, 3, 30

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def _obs(self):
        return np.array([np.cos(self.angle), np.sin(self.angle), self.speed], dtype=np.float32)

    def reset(self):
        self.angle, self.speed, self.t = self.rng.uniform(-0.5, 0.5), 0.0, 0
        return self._obs()

    def step(self, action):
        pull = float(action) - 1.0
        self.speed = 0.95 * self.speed + 0.2 * np.sin(self.angle) + 0.3 * pull
        self.angle += 0.2 * self.speed
        self.t += 1
        reward = float(np.cos(self.angle)) - 0.01 * abs(pull)
        done = abs(self.angle) > 1.5
        return self._obs(), reward, done, self.t >= self.horizon
