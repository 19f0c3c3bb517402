"""Kinds of pollen, and how wrong a forecast of each is."""

from dataclasses import dataclass

import torch
from torch.nn.functional import poisson_nll_loss, smooth_l1_loss


@dataclass(frozen=True)
class Kind:
    """The counts of one kind of pollen are told as they are, or as logarithms."""

    name: str
    weight: float = 1.0

    def error(self, predicted, counts):
        known = counts.isfinite()
        wrong = self.compared(predicted, counts.nan_to_num(0.0))
        return self.weight * (wrong * known).sum() / known.sum().clamp(min=1)

    def compared(self, predicted, counts):
        return poisson_nll_loss(predicted, counts, reduction="none")


@dataclass(frozen=True)
class Abundant(Kind):
    def compared(self, predicted, counts):
        return smooth_l1_loss(predicted, counts.log1p(), reduction="none")


KINDS = (Abundant("birch"), Abundant("grass", 0.8), Kind("ragweed", 2.0))


def losses(forecast, observed):
    for number, kind in enumerate(KINDS):
        predicted, counts = forecast[:, number], observed[:, number]
        if counts.isfinite().any():
            yield kind.error(predicted, counts)


def observations(days, stations=6):
    """Weather and counts; grass is not counted in spring, ragweed only in autumn."""
    for day in range(days):
        weather = torch.randn(stations, 5)
        rate = torch.stack([weather[:, 0], weather[:, 1], weather[:, 2] - 1], 1).exp()
        counts = torch.poisson(3 * rate)
        counts[torch.rand(counts.shape) < 0.2] = torch.nan
        counts[:, 1 if day < days // 3 else 2] = torch.nan
        yield weather, counts
