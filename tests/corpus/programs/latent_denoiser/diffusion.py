"""The forward process of a small diffusion model."""

import math

import torch
from torch import nn


def cosine_alphas(steps, offset=0.008):
    def level(time):
        return math.cos((time / steps + offset) / (1 + offset) * math.pi / 2) ** 2

    return torch.tensor([level(time) / level(0) for time in range(steps)])


class ForwardProcess(nn.Module):
    def __init__(self, steps=50):
        super().__init__()
        self.steps = steps
        self.register_buffer("alphas", cosine_alphas(steps))

    def forward(self, latents):
        times = torch.randint(0, self.steps, (len(latents),))
        noise = torch.randn_like(latents)
        level = self.alphas[times][:, None]
        return level.sqrt() * latents + (1 - level).sqrt() * noise, times, noise
