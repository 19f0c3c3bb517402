from dataclasses import dataclass

import torch


@dataclass
class SchedulerOutput:
    prev_sample: torch.Tensor
    pred_original_sample: torch.Tensor


class MultistepScheduler:
    """A multistep solver, of second order but for its first step."""

    def __init__(self, num_train_timesteps=1000, beta_start=0.00085, beta_end=0.012):
        betas = torch.linspace(beta_start**0.5, beta_end**0.5, num_train_timesteps) ** 2
        self.alphas_cumprod = torch.cumprod(1.0 - betas, dim=0)
        self.num_train_timesteps = num_train_timesteps
        self.init_noise_sigma = 1.0

    def set_timesteps(self, num_inference_steps):
        ratio = self.num_train_timesteps // num_inference_steps
        self.timesteps = torch.arange(num_inference_steps).flip(0) * ratio
        self.alphas = self.alphas_cumprod[self.timesteps]
        self.alphas_prev = self.alphas_cumprod[torch.clamp(self.timesteps - ratio, min=0)]
        self.model_outputs = []

    def step(self, model_output, index, sample):
        alpha, alpha_prev = self.alphas[index], self.alphas_prev[index]
        original = (sample - (1 - alpha).sqrt() * model_output) / alpha.sqrt()
        self.model_outputs.append(model_output)
        if len(self.model_outputs) > 1:
            model_output = 1.5 * self.model_outputs[-1] - 0.5 * self.model_outputs[-2]
        prev = alpha_prev.sqrt() * original + (1 - alpha_prev).sqrt() * model_output
        return SchedulerOutput(prev, original)
