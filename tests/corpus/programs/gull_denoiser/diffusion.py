from random import random

import torch
import torch.nn.functional as F
from helpers import default, exists, print_once
from torch import nn


def cosine_alphas(timesteps, s=0.008):
    t = torch.linspace(0, timesteps, timesteps + 1) / timesteps
    alphas = torch.cos((t + s) / (1 + s) * torch.pi * 0.5) ** 2
    return (alphas / alphas[0]).clamp(min=1e-4)[1:]


class GaussianDiffusion1D(nn.Module):
    def __init__(self, model, *, seq_length, timesteps=50, min_snr_gamma=None, backend="eager"):
        super().__init__()
        self.model = model
        self.denoise = torch.compile(self.denoising_loss, backend=backend)
        self.seq_length = seq_length
        self.num_timesteps = timesteps
        self.self_condition = model.self_condition
        alphas = cosine_alphas(timesteps)
        self.register_buffer("alphas_cumprod", alphas)
        snr = alphas / (1 - alphas)
        clipped = snr.clamp(max=min_snr_gamma) if exists(min_snr_gamma) else snr
        self.register_buffer("loss_weight", clipped / snr)

    def q_sample(self, x_start, t, noise):
        a = self.alphas_cumprod[t][:, None, None]
        return a.sqrt() * x_start + (1 - a).sqrt() * noise

    def denoising_loss(self, x, x_start, noise, t, x_self_cond=None):
        model_out = self.model(x, t.float(), x_self_cond)
        if model_out.shape[-1] != self.seq_length:
            raise ValueError(f"seq length must be {self.seq_length}")
        loss = F.mse_loss(model_out, x_start, reduction="none").mean((1, 2))
        print_once(f"weighing losses by snr, {self.num_timesteps} steps")
        return (loss * self.loss_weight[t]).mean()

    def forward(self, x_start, noise=None):
        t = torch.randint(0, self.num_timesteps, (x_start.shape[0],))
        noise = default(noise, lambda: torch.randn_like(x_start))
        x = self.q_sample(x_start, t, noise)
        x_self_cond = None
        if self.self_condition and random() < 0.5:
            with torch.no_grad():
                x_self_cond = self.model(x, t.float())
        return self.denoise(x, x_start, noise, t, x_self_cond)
