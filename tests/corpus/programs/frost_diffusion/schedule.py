import math

import torch


class CosineSchedule:
    """Nichol & Dhariwal's schedule, and noise of all steps at hand."""

    def __init__(self, num_train_timesteps=100, offset=0.008):
        self.num_train_timesteps = num_train_timesteps
        steps = torch.arange(num_train_timesteps + 1) / num_train_timesteps
        curve = torch.cos((steps + offset) / (1 + offset) * math.pi / 2) ** 2
        self.alphas_cumprod = (curve / curve[0])[1:].clamp(1e-4, 0.9999)

    def add_noise(self, clean, noise, timesteps):
        alpha = self.alphas_cumprod[timesteps].view(-1, 1, 1, 1)
        return alpha.sqrt() * clean + (1 - alpha).sqrt() * noise

    def velocity(self, clean, noise, timesteps):
        alpha = self.alphas_cumprod[timesteps].view(-1, 1, 1, 1)
        return alpha.sqrt() * noise - (1 - alpha).sqrt() * clean

    def min_snr_weight(self, timesteps, gamma=5.0):
        alpha = self.alphas_cumprod[timesteps]
        snr = alpha / (1 - alpha)
        return snr.clamp(max=gamma) / (snr + 1)
