"""Trains the denoiser with self-conditioning and classifier-free guidance."""

import copy
import random

import torch
from config import Config
from denoiser import Denoiser
from torch._dynamo import compiled_autograd
from torch.nn import functional


class Trainer:
    def __init__(self, config):
        self.config = config
        self.model = Denoiser(config)
        self.average = copy.deepcopy(self.model).requires_grad_(False)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=config.lr)
        self.signal = torch.linspace(0.999, 0.02, config.timesteps)
        self.random = random.Random(7)

    def batch(self):
        label = torch.randint(0, self.config.classes, (self.config.batch_size,))
        angle = label * 1.2566
        points = torch.stack([angle.cos(), angle.sin()], 1)
        return points + 0.05 * torch.randn_like(points), label

    def loss(self, x, label):
        t = torch.randint(0, self.config.timesteps, (len(x),))
        signal = self.signal[t, None]
        noise = torch.randn_like(x)
        noisy = signal.sqrt() * x + (1 - signal).sqrt() * noise
        if self.random.random() < self.config.p_uncond:
            label = None
        guess = torch.zeros_like(x)
        if self.random.random() < self.config.p_self_condition:
            with torch.no_grad():
                guess = self.model(noisy, t, guess, label)
        return functional.mse_loss(self.model(noisy, t, guess, label), noise)

    @torch.no_grad()
    def update_average(self):
        for old, new in zip(self.average.parameters(), self.model.parameters(), strict=True):
            old.lerp_(new, 1 - self.config.ema_decay)

    def fit(self):
        for _ in range(self.config.steps):
            loss = self.loss(*self.batch())
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.update_average()


def main():
    torch.manual_seed(0)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        Trainer(Config()).fit()


if __name__ == "__main__":
    main()
