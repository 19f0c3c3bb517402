"""Headlines as counts of words, two of them about one event at a time."""

import torch


class Wire:
    """What agencies send; the two of a pair are about the same event."""

    def __init__(self, words=30, events=5, seed=4):
        self.generator = torch.Generator().manual_seed(seed)
        self.topics = torch.rand(events, words, generator=self.generator).pow(4)

    def pairs(self, size):
        events = torch.randint(0, len(self.topics), (size,), generator=self.generator)
        rate = 3 * self.topics[events]
        one, other = (torch.poisson(rate, generator=self.generator) for _ in range(2))
        return one.log1p(), other.log1p()
