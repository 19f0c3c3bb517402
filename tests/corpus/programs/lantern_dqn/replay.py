"""What was seen before."""

import random
from collections import deque, namedtuple

import torch

Transition = namedtuple("Transition", ["obs", "action", "reward", "done", "following"])


class ReplayMemory:
    def __init__(self, capacity):
        self.memory = deque(maxlen=capacity)

    def push(self, *columns):
        for row in zip(*columns, strict=True):
            self.memory.append(Transition(*row))

    def sample(self, batch_size):
        drawn = random.sample(self.memory, batch_size)
        return Transition(*map(torch.stack, zip(*drawn, strict=True)))

    def __len__(self):
        return len(self.memory)
