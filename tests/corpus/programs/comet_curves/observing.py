"""Brightness of comets over the nights on which they could be seen."""

import numpy as np

NIGHTS = 24


def comet(rng):
    days = np.sort(rng.choice(90, NIGHTS, replace=False)).astype(np.float32)
    perihelion, slope = rng.uniform(30, 60), rng.uniform(2, 6)
    brightness = 5 + slope * np.log1p(np.abs(days - perihelion))
    return np.stack([days / 90, brightness.astype(np.float32)]), np.float32(perihelion / 90)


def campaign(comets, batch, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(comets // batch):
        curves, perihelia = zip(*(comet(rng) for _ in range(batch)), strict=True)
        yield np.stack(curves), np.array(perihelia)
