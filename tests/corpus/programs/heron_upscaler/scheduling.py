from dataclasses import dataclass

import torch


@dataclass
class NoiseScheduler:
    num_train_timesteps: int = 100
    beta_start: float = 1e-3
    beta_end: float = 0.08

    def __post_init__(self):
        self.betas = torch.linspace(self.beta_start**0.5, self.beta_end**0.5, 100) ** 2
        self.alphas_cumprod = torch.cumprod(1.0 - self.betas, dim=0)
        self.timesteps = torch.arange(self.num_train_timesteps - 1, -1, -20)

    def add_noise(self, original, noise, timesteps):
        a = self.alphas_cumprod[timesteps].view(-1, 1, 1, 1)
        return a.sqrt() * original + (1 - a).sqrt() * noise

    def snr(self, timesteps):
        a = self.alphas_cumprod[timesteps]
        return a / (1 - a)

    def step(self, model_output, index, sample):
        t = self.timesteps[index]
        a = self.alphas_cumprod[t]
        original = (sample - (1 - a).sqrt() * model_output) / a.sqrt()
        if index + 1 == len(self.timesteps):
            return original
        a_prev = self.alphas_cumprod[self.timesteps[index + 1]]
        return a_prev.sqrt() * original + (1 - a_prev).sqrt() * model_output
