"""Depots that measure parcels; not each has scales."""

from collections import namedtuple

import torch
from scalers import SCALERS

Depot = namedtuple("Depot", "scaler has_scales", defaults=(True,))
DEPOTS = {
    "north": Depot("standard"),
    "canal": Depot("robust"),
    "airport": Depot("standard", has_scales=False),
}


def parcels(depot, batch=10):
    measures = torch.rand(batch, 3) * torch.tensor([60.0, 40.0, 30.0])
    volume = measures.prod(1)
    weight = volume * 2e-4 + torch.rand(batch) if depot.has_scales else None
    return SCALERS[depot.scaler].fit(measures), measures, weight, volume / 1e4
