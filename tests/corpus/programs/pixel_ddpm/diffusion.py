"""Gaussian diffusion with self-conditioning, after Ho et al. and Chen et al."""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F


def cosine_beta_schedule(timesteps, s=0.008):
    x = torch.linspace(0, timesteps, timesteps + 1)
    alphas_cumprod = torch.cos((x / timesteps + s) / (1 + s) * torch.pi / 2) ** 2
    betas = 1 - alphas_cumprod[1:] / alphas_cumprod[:-1]
    return betas.clamp(0, 0.999)


def extract(values, t, x):
    return values[t].view(-1, *([1] * (x.dim() - 1)))


class GaussianDiffusion(nn.Module):
    def __init__(self, model, timesteps=100, self_condition=True, cond_drop_prob=0.2):
        super().__init__()
        self.model = model
        self.timesteps = timesteps
        self.self_condition = self_condition
        self.cond_drop_prob = cond_drop_prob
        alphas_cumprod = torch.cumprod(1 - cosine_beta_schedule(timesteps), dim=0)
        self.register_buffer("sqrt_ac", alphas_cumprod.sqrt())
        self.register_buffer("sqrt_one_minus_ac", (1 - alphas_cumprod).sqrt())
        snr = alphas_cumprod / (1 - alphas_cumprod)
        self.register_buffer("loss_weight", snr.clamp(max=5) / snr)

    def q_sample(self, x, t, noise):
        return extract(self.sqrt_ac, t, x) * x + extract(self.sqrt_one_minus_ac, t, x) * noise

    def forward(self, x, classes):
        t = torch.randint(0, self.timesteps, (x.shape[0],))
        noise = torch.randn_like(x)
        noisy = self.q_sample(x, t, noise)
        x_self_cond = torch.zeros_like(x)
        if self.self_condition and random.random() < 0.5:
            with torch.no_grad():
                x_self_cond = self.model(noisy, t, classes, x_self_cond).detach()
        predicted = self.model(noisy, t, classes, x_self_cond, self.cond_drop_prob)
        loss = F.mse_loss(predicted, noise, reduction="none").mean((1, 2, 3))
        return (loss * self.loss_weight[t]).mean()
