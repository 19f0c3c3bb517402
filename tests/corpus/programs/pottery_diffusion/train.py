import random
from copy import deepcopy

import torch
from diffusion import GaussianDiffusion1D
from unet import Unet1D, divisible_by, exists


def cycle(pots, batch_size):
    while True:
        order = torch.randperm(len(pots))
        for rows in order.split(batch_size):
            if len(rows) == batch_size:
                yield pots[rows]


def turned_pots(n, height=32):
    h = torch.linspace(0, 1, height)
    belly, neck = torch.rand(n, 1), torch.rand(n, 1)
    radius = 0.3 + belly * torch.sin(3.14 * h) - 0.4 * neck * (h > 0.8)
    return (radius.unsqueeze(1) * 2 - 1).clamp(-1, 1)


class EMA:
    def __init__(self, model, beta=0.99):
        self.beta, self.shadow = beta, deepcopy(model.state_dict())

    @torch.no_grad()
    def update(self, model):
        for name, value in model.state_dict().items():
            self.shadow[name].lerp_(value, 1 - self.beta)


class Trainer1D:
    def __init__(self, diffusion, unet, pots, *, batch_size=8, lr=2e-3, steps=24, every=12):
        self.diffusion, self.unet = diffusion, unet
        self.dl = cycle(pots, batch_size)
        self.batch_size, self.steps, self.every = batch_size, steps, every
        self.opt = torch.optim.Adam(diffusion.parameters(), lr=lr, betas=(0.9, 0.99))
        self.ema, self.samples = None, []

    def train(self):
        for step in range(1, self.steps + 1):
            loss = self.diffusion(next(self.dl))
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.diffusion.parameters(), 1.0)
            self.opt.step()
            self.opt.zero_grad()
            if not exists(self.ema):
                self.ema = EMA(self.unet)
            self.ema.update(self.unet)
            if divisible_by(step, self.every):
                self.samples.append(self.diffusion.sample(self.batch_size))
                print(f"{step}: loss {loss.item():.3f}, radius {self.samples[-1].mean():.3f}")


if __name__ == "__main__":
    torch.manual_seed(0)
    random.seed(0)
    unet = Unet1D()
    diffusion = GaussianDiffusion1D(torch.compile(unet, backend="aot_eager"), seq_length=32)
    Trainer1D(diffusion, unet, turned_pots(60)).train()
