"""A maze of 6 x 6 cells."""

import torch

MOVES = torch.tensor([[0, 1], [1, 0], [0, -1], [-1, 0]])


class Maze:
    def __init__(self, size=6, seed=0):
        self.size = size
        self.g = torch.Generator().manual_seed(seed)
        self.reset()

    def reset(self):
        self.position = torch.randint(0, self.size, (2,), generator=self.g)
        return self.observe()

    def observe(self):
        return torch.cat([self.position, self.size - 1 - self.position]).float() / self.size

    def step(self, action):
        self.position = (self.position + MOVES[action]).clamp(0, self.size - 1)
        done = bool((self.position == self.size - 1).all())
        return self.observe(), 1.0 if done else -0.05, done
