"""Lamps with features, some with a price as well."""

from typing import NamedTuple

import torch


class Lamps(NamedTuple):
    features: torch.Tensor
    kind: torch.Tensor
    price: torch.Tensor | None


def pages(count, rows=10, priced=3):
    """Every `priced`-th page of the catalog has no prices yet."""
    for number in range(count):
        features = torch.randn(rows, 9)
        kind = features[:, :4].argmax(1)
        price = None if number % priced == 2 else features.abs().sum(1)
        yield Lamps(features, kind, price)
