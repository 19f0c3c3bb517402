"""Delays of flights at one airport, in order: late ones make the next ones late."""

import numpy as np
import torch

FEATURES = 5


def day_of_flights(rng, flights):
    hour = np.sort(rng.uniform(5, 23, flights))
    wind = np.abs(np.cumsum(0.3 * rng.standard_normal(flights)))
    gap = np.diff(hour, prepend=hour[0] - 0.3)
    delay, late = np.zeros(flights), 0.0
    for i in range(flights):
        late = max(0.0, 0.8 * late + 0.3 * wind[i] - gap[i] + 0.2 * rng.standard_normal())
        delay[i] = late
    x = np.stack([np.sin(hour / 24 * 6.28), np.cos(hour / 24 * 6.28), wind, gap, np.roll(delay, 1)])
    x[4, 0] = 0
    return x.T, delay


def chunks(days, flights, length, seed):
    """Batches of days, cut into chunks of one length; what is left at the end is not used."""
    rng = np.random.default_rng(seed)
    pairs = [day_of_flights(rng, flights) for _ in range(days)]
    x = torch.tensor(np.stack([x for x, _ in pairs]), dtype=torch.float32)
    y = torch.tensor(np.stack([y for _, y in pairs]), dtype=torch.float32)
    usable = flights - flights % length
    return [
        {"x": x[:, at : at + length].contiguous(), "y": y[:, at : at + length].contiguous()}
        for at in range(0, usable, length)
    ]
