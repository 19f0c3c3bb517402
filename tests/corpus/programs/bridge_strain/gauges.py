"""Strain gauges under a bridge: passing lorries, the day's temperature, slow drift."""

import torch


def strain(gauges, minutes, seed):
    g = torch.Generator().manual_seed(seed)
    time = torch.arange(minutes, dtype=torch.float32)
    place = torch.linspace(0, 1, gauges)[:, None]
    total = 0.4 * torch.sin(time / 200)[None] * (1 + place)
    for start in torch.randint(0, minutes, (minutes // 12,), generator=g).tolist():
        at = (time[None] - start) / 6
        total = total + torch.exp(-((at - 2 * place) ** 2)) * (1 - (2 * place - 1) ** 2)
    return total + 0.03 * torch.randn(gauges, minutes, generator=g)


class StrainWindows:
    def __init__(self, length, batch, gauges=6, minutes=480, seed=33):
        self.series = strain(gauges, minutes, seed)
        self.length, self.batch = length, batch
        self.g = torch.Generator().manual_seed(seed)

    def epoch(self, count):
        last = self.series.shape[1] - self.length
        for _ in range(count):
            starts = torch.randint(0, last, (self.batch,), generator=self.g).tolist()
            yield torch.stack([self.series[:, s : s + self.length] for s in starts])
