"""An arm that brings a peg over a hole."""

import torch


class PegEnv:
    obs_dim, act_dim, horizon = 6, 2, 12

    def __init__(self, seed):
        self.generator = torch.Generator().manual_seed(seed)

    def reset(self):
        self.peg = torch.rand(2, generator=self.generator)
        self.hole = torch.rand(2, generator=self.generator)
        self.moves = 0
        return self._observed()

    def _observed(self):
        return torch.cat([self.peg, self.hole, self.hole - self.peg])

    def step(self, action):
        self.peg = (self.peg + 0.1 * action).clamp(0, 1)
        self.moves += 1
        distance = (self.peg - self.hole).norm()
        return self._observed(), -distance, float(distance < 0.05 or self.moves == self.horizon)
