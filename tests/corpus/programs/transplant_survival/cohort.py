"""A synthetic cohort: covariates at transplantation, months of follow-up, and who died."""

from functools import partial

import torch
from torch.utils.data import DataLoader, TensorDataset

loader = partial(DataLoader, batch_size=16, shuffle=True)


def cohort(patients=74, covariates=6, seed=5):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(patients, covariates, generator=generator)
    hazard = torch.exp(0.7 * x[:, 0] - 0.4 * x[:, 3])
    months = torch.distributions.Exponential(hazard).sample() * 24
    censored = torch.rand(patients, generator=generator) * 60
    died = months < censored
    return loader(TensorDataset(x, torch.minimum(months, censored), died.float()))
