"""How crowded platforms are, minute by minute, between two trains."""

import torch


class Intervals:
    """Intervals between trains: longer at night than by day."""

    def __init__(self, count, platforms=5, day=6, night=10, seed=71):
        self.generator = torch.Generator().manual_seed(seed)
        self.count, self.platforms = count, platforms
        self.minutes = {"day": day, "night": night}

    def __len__(self):
        return self.count

    def __iter__(self):
        for number in range(self.count):
            shift = "night" if number % 6 in (4, 5) else "day"
            minutes = self.minutes[shift]
            arrivals = torch.poisson(
                torch.full((self.platforms, minutes), 3.0), generator=self.generator
            )
            yield shift, arrivals, arrivals.cumsum(1)
