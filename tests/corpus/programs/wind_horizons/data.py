"""Wind power of a few sites, and the horizons that the grid asks for."""

from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Horizon:
    name: str
    hours: int
    resolution: int = 1

    @property
    def steps(self):
        return self.hours // self.resolution


HORIZONS = (
    Horizon("dispatch", 3),
    Horizon("intraday", 12, 2),
    Horizon("reserve", 9),
    Horizon("day", 24, 2),
)


def series(sites=4, length=120, seed=0):
    generator = torch.Generator().manual_seed(seed)
    gusts = torch.randn(sites, length, generator=generator).cumsum(1)
    return torch.sigmoid(gusts * 0.2)


class WindowSampler:
    """Yields (site, start) pairs in batches, all pairs once."""

    def __init__(self, sites, starts, batch, generator):
        self.pairs = [(site, start) for site in range(sites) for start in starts]
        self.batch, self.generator = batch, generator

    def __iter__(self):
        waiting = []
        for place in torch.randperm(len(self.pairs), generator=self.generator).tolist():
            waiting.append(self.pairs[place])
            if len(waiting) == self.batch:
                full, waiting = waiting, []
                yield full
        if waiting:
            yield waiting
