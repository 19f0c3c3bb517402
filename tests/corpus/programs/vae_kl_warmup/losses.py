"""The loss of a variational autoencoder."""

import torch
from torch.nn import functional

KL_WEIGHT = 0.0


def elbo(rebuilt, inputs, mean, log_variance):
    error = functional.mse_loss(rebuilt, inputs, reduction="sum") / len(inputs)
    kl = -0.5 * (1 + log_variance - mean.square() - log_variance.exp()).sum(1).mean()
    return error + KL_WEIGHT * kl


def sample(mean, log_variance):
    return mean + torch.randn_like(mean) * (0.5 * log_variance).exp()
