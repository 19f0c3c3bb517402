import copy

import torch
import torch.nn.functional as F
from schedules import cosine_beta_schedule, extract, huber_schedule
from torch import nn


class GaussianDiffusion(nn.Module):
    def __init__(self, model, *, timesteps=50, offset_noise=0.05):
        super().__init__()
        self.model = model
        self.timesteps, self.offset_noise = timesteps, offset_noise
        cumprod = torch.cumprod(1 - cosine_beta_schedule(timesteps), dim=0)
        self.register_buffer("sqrt_cumprod", cumprod.sqrt())
        self.register_buffer("sqrt_one_minus", (1 - cumprod).sqrt())
        snr = cumprod / (1 - cumprod)
        self.register_buffer("loss_weight", snr.clamp(max=5.0) / snr)

    def forward(self, img, delta):
        b = img.shape[0]
        t = torch.randint(0, self.timesteps, (b,))
        noise = torch.randn_like(img)
        noise = noise + self.offset_noise * torch.randn(b, img.shape[1], 1, 1)
        x = extract(self.sqrt_cumprod, t, img.shape) * img
        x = x + extract(self.sqrt_one_minus, t, img.shape) * noise
        loss = F.huber_loss(self.model(x, t), noise, reduction="none", delta=delta)
        loss = loss.mean((1, 2, 3)) * self.loss_weight[t]
        return loss.mean() / delta


class EMA:
    def __init__(self, model, beta=0.99, update_every=2):
        self.model = copy.deepcopy(model).requires_grad_(False)
        self.beta, self.update_every = beta, update_every

    @torch.no_grad()
    def update(self, step, model):
        if step % self.update_every:
            return
        beta = min(self.beta, (1 + step) / (10 + step))
        for mine, other in zip(self.model.parameters(), model.parameters(), strict=True):
            mine.lerp_(other, 1 - beta)


class Trainer:
    def __init__(self, diffusion, images, *, train_steps=4, batch_size=8, lr=2e-3):
        self.diffusion, self.images = diffusion, images
        self.train_steps, self.batch_size = train_steps, batch_size
        self.opt = torch.optim.AdamW(diffusion.parameters(), lr=lr)
        self.ema = EMA(diffusion)
        self.step = 0
        self.norms = {}
        for name, p in diffusion.named_parameters():
            if name.endswith("up.proj.weight"):
                p.register_hook(self.track(name))

    def track(self, name):
        def hook(grad):
            self.norms[name] = grad.norm().item()
            return grad

        return hook

    def batch(self):
        rows = torch.randint(0, len(self.images), (self.batch_size,))
        images = self.images[rows]
        if torch.rand(()) < 0.5:
            images = images.flip(-1)
        return images

    def train(self):
        while self.step < self.train_steps:
            delta = huber_schedule(self.step / self.train_steps)
            loss = self.diffusion(self.batch(), delta)
            loss.backward()
            nn.utils.clip_grad_norm_(self.diffusion.parameters(), 1.0)
            self.opt.step()
            self.opt.zero_grad()
            self.step += 1
            self.ema.update(self.step, self.diffusion)
            if self.step % 2 == 0:
                norms = {name: round(float(norm), 2) for name, norm in self.norms.items()}
                print(f"{self.step}: loss {loss.item():.3f}, {norms}")
