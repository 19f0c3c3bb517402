import math
import random

import torch
import torch.nn.functional as F
from torch import nn


def cosine_beta_schedule(timesteps, s=0.008):
    t = torch.linspace(0, timesteps, timesteps + 1) / timesteps
    alphas = torch.cos((t + s) / (1 + s) * math.pi * 0.5) ** 2
    return torch.clip(1 - alphas[1:] / alphas[:-1], 0, 0.999)


class GaussianDiffusion(nn.Module):
    def __init__(self, model, timesteps=100, cond_drop_prob=0.2, min_snr_gamma=5.0, objective="v"):
        super().__init__()
        self.model, self.timesteps = model, timesteps
        self.cond_drop_prob, self.objective = cond_drop_prob, objective
        alphas_cumprod = torch.cumprod(1.0 - cosine_beta_schedule(timesteps), dim=0)
        self.register_buffer("sqrt_ac", alphas_cumprod.sqrt())
        self.register_buffer("sqrt_1m_ac", (1 - alphas_cumprod).sqrt())
        snr = alphas_cumprod / (1 - alphas_cumprod)
        clipped = snr.clone().clamp_(max=min_snr_gamma)
        weight = clipped / snr if objective == "noise" else clipped / (snr + 1)
        self.register_buffer("loss_weight", weight)

    def q_sample(self, x, t, noise):
        a, b = self.sqrt_ac[t], self.sqrt_1m_ac[t]
        return a[:, None, None, None] * x + b[:, None, None, None] * noise

    def target(self, x, t, noise):
        if self.objective == "noise":
            return noise
        a, b = self.sqrt_ac[t], self.sqrt_1m_ac[t]
        return a[:, None, None, None] * noise - b[:, None, None, None] * x

    def forward(self, img, classes):
        t = torch.randint(0, self.timesteps, (len(img),))
        noise = torch.randn_like(img)
        x = self.q_sample(img, t, noise)
        keep = torch.rand(len(img)) >= self.cond_drop_prob
        x_self_cond = None
        if self.model.self_condition and random.random() < 0.5:
            with torch.no_grad():
                x_self_cond = self.model(x, t, classes, keep).clamp(-1.0, 1.0)
        out = self.model(x, t, classes, keep, x_self_cond)
        loss = F.mse_loss(out, self.target(img, t, noise), reduction="none")
        return (loss.flatten(1).mean(1) * self.loss_weight[t]).mean()
