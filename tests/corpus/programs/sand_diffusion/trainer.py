"""Training loop with EMA weights, warm-up and a look at the sensitivity to the noisy input."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import torch
from schedule import CosineSchedule
from torch import nn


@dataclass
class TrainingConfig:
    batch_size: int = 6
    size: int = 16
    steps: int = 16
    lr: float = 2e-3
    warmup: int = 4
    ema_decay: float = 0.95
    sensitivity_every: int = 4
    sample_every: int = 8


class Ema:
    def __init__(self, model: nn.Module, decay: float):
        self.model = copy.deepcopy(model).eval().requires_grad_(False)
        self.decay = decay

    @torch.no_grad()
    def update(self, model: nn.Module) -> None:
        for kept, new in zip(self.model.parameters(), model.parameters(), strict=True):
            kept.lerp_(new, 1 - self.decay)


class Trainer:
    def __init__(self, unet: nn.Module, schedule: CosineSchedule, config: TrainingConfig):
        self.unet = unet
        self.denoise = unet
        self.schedule = schedule
        self.config = config
        self.ema = Ema(unet, config.ema_decay)
        self.optimizer = torch.optim.AdamW(unet.parameters(), lr=config.lr)
        self.lr_scheduler = torch.optim.lr_scheduler.LambdaLR(
            self.optimizer, lambda step: min(1.0, (step + 1) / config.warmup)
        )

    def training_step(self, x0: torch.Tensor, step: int) -> dict[str, float]:
        noise = torch.randn_like(x0)
        timesteps = torch.randint(0, self.schedule.num_steps, (x0.shape[0],))
        noisy = self.schedule.add_noise(x0, noise, timesteps)
        look = step % self.config.sensitivity_every == 0
        noisy.requires_grad_(look)

        predicted = self.denoise(noisy, timesteps)
        each = (predicted - noise).square().mean(dim=(1, 2, 3))
        loss = (self.schedule.min_snr(timesteps) * each).mean()
        self.optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.unet.parameters(), 1.0)
        self.optimizer.step()
        self.lr_scheduler.step()
        self.ema.update(self.unet)

        logs = {"loss": loss.item(), "grad_norm": norm.item()}
        if look:
            logs["sensitivity"] = noisy.grad.norm().item()
        return logs

    def fit(self, batches) -> None:
        self.unet.train()
        for step in range(self.config.steps):
            logs = self.training_step(next(batches), step)
            text = " ".join(f"{name} {value:.3f}" for name, value in logs.items())
            print(f"[{step:3d}] {text}")
            if (step + 1) % self.config.sample_every == 0:
                shape = (2, 1, self.config.size, self.config.size)
                drawn = self.schedule.sample(self.ema.model, shape)
                print(f"      samples in {drawn.min():.2f} … {drawn.max():.2f}")
