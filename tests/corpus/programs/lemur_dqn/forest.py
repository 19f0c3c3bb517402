"""A lemur jumps from tree to tree; fruit is at one of them, hawks circle over another."""

import numpy as np


class Forest:
    size = 5
    n_actions = 4
    moves = ((-1, 0), (1, 0), (0, -1), (0, 1))

    def __init__(self, seed: int, horizon: int = 20):
        self.rng = np.random.default_rng(seed)
        self.horizon = horizon

    @property
    def obs_shape(self):
        return (3, self.size, self.size)

    def _obs(self):
        planes = np.zeros(self.obs_shape, dtype=np.float32)
        for plane, (row, col) in zip(planes, (self.lemur, self.fruit, self.hawk), strict=True):
            plane[row, col] = 1.0
        return planes

    def reset(self):
        cells = self.rng.choice(self.size**2, size=3, replace=False)
        self.lemur, self.fruit, self.hawk = (divmod(int(cell), self.size) for cell in cells)
        self.t = 0
        return self._obs()

    def step(self, action: int):
        drow, dcol = self.moves[action]
        self.lemur = (
            min(max(self.lemur[0] + drow, 0), self.size - 1),
            min(max(self.lemur[1] + dcol, 0), self.size - 1),
        )
        self.t += 1
        reward = 1.0 if self.lemur == self.fruit else -1.0 if self.lemur == self.hawk else -0.02
        terminated = abs(reward) == 1.0
        return self._obs(), reward, terminated, self.t >= self.horizon
