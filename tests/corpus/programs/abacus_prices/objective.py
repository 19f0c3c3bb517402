import torch
import torch.nn.functional as F


def robust(error, delta):
    return torch.where(error.abs() < delta, 0.5 * error.square(), delta * error.abs())


def price_loss(mean, log_var, price, *, kind, quantile=None):
    if kind == "warmup":
        return F.mse_loss(mean, price)
    if kind == "nll":
        return 0.5 * (log_var + (price - mean).square() * torch.exp(-log_var)).mean()
    if kind == "robust":
        return robust(price - mean, 0.5).mean() + 0.01 * log_var.square().mean()
    raise ValueError(kind)
