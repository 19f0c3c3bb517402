"""A pool of half-grown grids to go on from."""

from dataclasses import dataclass, field

import torch


def seed(channels, side):
    grid = torch.zeros(channels, side, side)
    grid[1:, side // 2, side // 2] = 1.0
    return grid


@dataclass
class Pool:
    size: int = 16
    channels: int = 6
    side: int = 10
    steps: range = range(4, 7)
    grids: list = field(default_factory=list)

    def __post_init__(self):
        self.grids = [seed(self.channels, self.side) for _ in range(self.size)]

    def drawn(self, batch):
        """Grids, how long to grow them, and where to put them back."""
        while True:
            places = torch.randperm(self.size)[:batch].tolist()
            grids = torch.stack([self.grids[place] for place in places])
            grids[0] = seed(self.channels, self.side)
            steps = int(torch.randint(self.steps.start, self.steps.stop, ()))
            yield grids, steps, places

    def put_back(self, grids, places):
        for grid, place in zip(grids.detach(), places, strict=True):
            self.grids[place] = grid
