"""Trains a denoiser of latents."""

from dataclasses import dataclass

import torch
from denoiser import Average, Denoiser
from diffusion import ForwardProcess
from torch._dynamo import compiled_autograd
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    batch_size: int = 16
    epochs: int = 3
    lr: float = 1e-3
    warmup: int = 4
    clip: float = 1.0
    check_every: int = 5


@torch.no_grad()
def validate(average, process, latents):
    noisy, times, noise = process(latents)
    return (average.shadow(noisy, times) - noise).square().mean().item()


def train(config, model, process, latents):
    average = Average(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=config.lr)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=config.warmup)
    loader = DataLoader(TensorDataset(latents), config.batch_size, shuffle=True, drop_last=True)
    step, history = 0, []
    for epoch in range(config.epochs):
        weight = 1 - 0.2 * epoch
        for (batch,) in loader:
            noisy, times, noise = process(batch)
            error = (model(noisy, times) - noise).square()
            loss = weight * error.mean()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), config.clip)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            schedule.step()
            average.update(model)
            history.append(loss.item())
            if step % config.check_every == 0:
                print(f"{step}: {validate(average, process, latents[:10]):.3f}")
            step += 1
    return history


def main():
    torch.manual_seed(0)
    latents = torch.randn(70, 8)
    with compiled_autograd._enable(torch.compile(backend="aot_eager")):
        train(Config(), Denoiser(), ForwardProcess(), latents)


if __name__ == "__main__":
    main()
