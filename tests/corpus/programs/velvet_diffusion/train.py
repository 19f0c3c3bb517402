"""Denoising swatches of velvet, with self-conditioning and free guidance."""

import random

import torch
from denoiser import Denoiser
from ema import EMA
from gaussian import GaussianDiffusion


def cycle(batch_size, size=12):
    g = torch.Generator().manual_seed(0)
    while True:
        classes = torch.randint(0, 4, (batch_size,), generator=g)
        nap = torch.linspace(0, 3, size)
        phase = classes[:, None] + 0.3 * torch.randn(batch_size, 1, generator=g)
        rows = torch.sin(nap[None] * (1 + classes[:, None]) + phase)
        yield (rows[:, None, :, None] * torch.cos(nap)[None, None, None]).contiguous(), classes


class Trainer:
    def __init__(self, diffusion, batch_size=4, lr=1e-3, num_steps=8, accumulate=2, ema_beta=0.99):
        self.diffusion = diffusion
        self.accumulate = accumulate
        self.num_steps, self.step = num_steps, 0
        self.data = cycle(batch_size)
        self.opt = torch.optim.Adam(diffusion.parameters(), lr=lr, betas=(0.9, 0.99))
        for p in diffusion.parameters():
            p.grad = torch.zeros_like(p)
        self.ema = EMA(diffusion.model, beta=ema_beta)

    def warmup(self, steps=4):
        for group in self.opt.param_groups:
            group["lr"] = 1e-3 * min(1.0, (self.step + 1) / steps)

    def train(self):
        history = []
        while self.step < self.num_steps:
            self.warmup()
            total_loss = 0.0
            for _ in range(self.accumulate):
                img, classes = next(self.data)
                loss = self.diffusion(img, classes) / self.accumulate
                total_loss += loss.item()
                loss.backward()
            torch.nn.utils.clip_grad_norm_(self.diffusion.parameters(), 1.0)
            self.opt.step()
            self.opt.zero_grad(set_to_none=False)
            self.step += 1
            self.ema.update(self.diffusion.model)
            history.append(total_loss)
        return history


if __name__ == "__main__":
    random.seed(5)
    torch.manual_seed(5)
    trainer = Trainer(GaussianDiffusion(Denoiser()))
    losses = trainer.train()
    print(" ".join(f"{loss:.3f}" for loss in losses))
