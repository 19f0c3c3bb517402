import math

import torch


def cosine_beta_schedule(timesteps, s=0.008):
    x = torch.linspace(0, timesteps, timesteps + 1, dtype=torch.float64)
    alphas_cumprod = torch.cos(((x / timesteps) + s) / (1 + s) * math.pi * 0.5) ** 2
    alphas_cumprod = alphas_cumprod / alphas_cumprod[0]
    betas = 1 - (alphas_cumprod[1:] / alphas_cumprod[:-1])
    return torch.clip(betas, 0, 0.999).float()


def huber_schedule(progress, start=1.0, end=0.05):
    """Near to squares at first, near to absolute values at the end."""
    return math.exp(math.log(start) + progress * (math.log(end) - math.log(start)))


def exists(x):
    return x is not None


def default(val, d):
    return val if exists(val) else d


def extract(a, t, shape):
    return a.gather(-1, t).reshape(len(t), *((1,) * (len(shape) - 1)))
