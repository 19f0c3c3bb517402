"""A ring of transitions."""

import torch


class ReplayBuffer:
    def __init__(self, size, **shapes):
        self.size, self.position, self.full = size, 0, False
        self.columns = {name: torch.zeros(size, *shape) for name, shape in shapes.items()}

    def add(self, **values):
        count = len(next(iter(values.values())))
        rows = (torch.arange(count) + self.position) % self.size
        for name, value in values.items():
            self.columns[name][rows] = value
        self.full = self.full or self.position + count >= self.size
        self.position = (self.position + count) % self.size

    def sample(self, batch_size):
        rows = torch.randint(0, self.size if self.full else self.position, (batch_size,))
        return {name: column[rows] for name, column in self.columns.items()}
