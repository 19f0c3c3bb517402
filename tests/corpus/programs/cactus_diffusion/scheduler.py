"""DDIM, deterministic, so that some of its steps can be trained through."""

import torch


class DDIMScheduler:
    def __init__(self, num_train_timesteps: int = 100):
        betas = torch.linspace(1e-3, 0.06, num_train_timesteps)
        self.alphas_cumprod = torch.cumprod(1 - betas, dim=0)
        self.num_train_timesteps = num_train_timesteps

    def _coefficients(self, timesteps):
        alpha = self.alphas_cumprod[timesteps].view(-1, 1, 1, 1)
        return alpha.sqrt(), (1 - alpha).sqrt()

    def add_noise(self, original, noise, timesteps):
        signal, sigma = self._coefficients(timesteps)
        return signal * original + sigma * noise

    def predict_original(self, noise, timesteps, sample):
        signal, sigma = self._coefficients(timesteps)
        return (sample - sigma * noise) / signal

    def step(self, noise, timesteps, sample, stride):
        original = self.predict_original(noise, timesteps, sample)
        previous = (timesteps - stride).clamp(min=0)
        return self.add_noise(original, noise, previous), previous
