"""Plots of olive groves with the weather of a season."""

import torch

REGIONS = {"slope": 0.2, "valley": -0.3, "terrace": 0.6}


def harvests(region, plots=24, weeks=16, seed=17):
    generator = torch.Generator().manual_seed(seed)
    weather = torch.randn(plots, weeks, 3, generator=generator)
    return weather, weather.mean((1, 2)) + REGIONS[region]
