"""Gaussian diffusion with a cosine schedule."""

import math

import torch
from torch import nn
from torch.nn import functional as F


class GaussianDiffusion(nn.Module):
    def __init__(self, timesteps=50):
        super().__init__()
        t = torch.arange(timesteps + 1) / timesteps
        bar = torch.cos((t + 0.008) / 1.008 * math.pi / 2) ** 2
        betas = (1 - bar[1:] / bar[:-1]).clamp(max=0.999)
        self.timesteps = timesteps
        self.register_buffer("betas", betas)
        self.register_buffer("alphas_cumprod", (1 - betas).cumprod(0))

    def extract(self, values, t):
        return values[t].view(-1, 1, 1, 1)

    def q_sample(self, x, t, noise):
        kept = self.extract(self.alphas_cumprod, t)
        return kept.sqrt() * x + (1 - kept).sqrt() * noise

    def loss(self, model, x, condition):
        t = torch.randint(0, self.timesteps, (len(x),))
        noise = torch.randn_like(x)
        error = F.mse_loss(model(self.q_sample(x, t, noise), t, condition), noise, reduction="none")
        kept = self.alphas_cumprod[t]
        snr = kept / (1 - kept)
        return (error.mean((1, 2, 3)) * (snr.clamp(max=5.0) / snr)).mean()

    @torch.no_grad()
    def sample(self, model, shape, condition):
        x = torch.randn(shape)
        for step in reversed(range(0, self.timesteps, 10)):
            t = torch.full((shape[0],), step)
            beta = self.extract(self.betas, t)
            noise = model(x, t, condition)
            kept = self.extract(self.alphas_cumprod, t)
            x = (x - beta / (1 - kept).sqrt() * noise) / (1 - beta).sqrt()
            if step > 0:
                x = x + beta.sqrt() * torch.randn_like(x)
        return x
