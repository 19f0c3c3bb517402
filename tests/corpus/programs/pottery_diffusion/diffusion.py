from random import random

import torch
import torch.nn.functional as F
from torch import nn


def extract(a, t, x_shape):
    return a.gather(-1, t).reshape(t.shape[0], *((1,) * (len(x_shape) - 1)))


def cosine_beta_schedule(timesteps, s=0.008):
    t = torch.linspace(0, timesteps, timesteps + 1) / timesteps
    alphas_cumprod = torch.cos((t + s) / (1 + s) * torch.pi * 0.5) ** 2
    alphas_cumprod = alphas_cumprod / alphas_cumprod[0]
    return torch.clip(1 - (alphas_cumprod[1:] / alphas_cumprod[:-1]), 0, 0.999)


class GaussianDiffusion1D(nn.Module):
    def __init__(self, model, *, seq_length, timesteps=12):
        super().__init__()
        self.model = model
        self.seq_length, self.num_timesteps = seq_length, timesteps
        betas = cosine_beta_schedule(timesteps)
        alphas_cumprod = torch.cumprod(1.0 - betas, dim=0)
        self.register_buffer("betas", betas)
        self.register_buffer("alphas_cumprod", alphas_cumprod)
        self.register_buffer("alphas_cumprod_prev", F.pad(alphas_cumprod[:-1], (1, 0), value=1.0))

    def q_sample(self, x_start, t, noise):
        a = extract(self.alphas_cumprod, t, x_start.shape)
        return a.sqrt() * x_start + (1 - a).sqrt() * noise

    def predict_start(self, x, t, noise):
        a = extract(self.alphas_cumprod, t, x.shape)
        return ((x - (1 - a).sqrt() * noise) / a.sqrt()).clamp(-1, 1)

    @torch.no_grad()
    def sample(self, batch_size):
        x = torch.randn(batch_size, 1, self.seq_length)
        x_start = None
        for t in reversed(range(self.num_timesteps)):
            batched = torch.full((batch_size,), t)
            noise = self.model(x, t, x_start)
            x_start = self.predict_start(x, batched, noise)
            a, prev = self.alphas_cumprod[t], self.alphas_cumprod_prev[t]
            mean = (prev.sqrt() * self.betas[t] * x_start) / (1 - a)
            mean = mean + ((1 - self.betas[t]).sqrt() * (1 - prev) * x) / (1 - a)
            x = mean + (self.betas[t] * (1 - prev) / (1 - a)).sqrt() * torch.randn_like(x)
        return x

    def forward(self, x_start):
        t = torch.randint(0, self.num_timesteps, (x_start.shape[0],))
        noise = torch.randn_like(x_start)
        x = self.q_sample(x_start, t, noise)
        # half of the time, predict x_start from the current model and condition on that
        x_self_cond = None
        if random() < 0.5:
            with torch.no_grad():
                x_self_cond = self.predict_start(x, t, self.model(x, t))
        return F.mse_loss(self.model(x, t, x_self_cond), noise)
