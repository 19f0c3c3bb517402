"""Trains a denoiser through the last steps of its own sampling."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from data import build_dataloader
from model import Denoiser
from scheduler import DDIMScheduler
from torch._dynamo import compiled_autograd
from tracking import GradientWatch, Tracker


@dataclass
class TrainingConfig:
    image_size: int = 8
    num_images: int = 20
    train_batch_size: int = 8
    num_epochs: int = 2
    learning_rate: float = 2e-3
    max_rollout: int = 2
    rollout_stride: int = 10
    log_every: int = 2
    backend: str = "aot_eager"
    seed: int = 0


def rollout_length(config: TrainingConfig, epoch: int) -> int:
    """One step at first; longer as the model gets better."""
    return min(1 + epoch, config.max_rollout)


def training_loss(model, scheduler, clean, rollout, stride):
    noise = torch.randn_like(clean)
    timesteps = torch.randint(stride, scheduler.num_train_timesteps, (clean.shape[0],))
    sample = scheduler.add_noise(clean, noise, timesteps)
    loss = 0.0
    for _ in range(rollout):
        predicted = model(sample, timesteps)
        signal, sigma = scheduler._coefficients(timesteps)
        target = (sample - signal * clean) / sigma.clamp(min=0.05)
        loss = loss + F.mse_loss(predicted, target)
        sample, timesteps = scheduler.step(predicted, timesteps, sample, stride)
    return loss / rollout


@torch.no_grad()
def sample_images(model, scheduler, config, num_steps=4):
    stride = scheduler.num_train_timesteps // num_steps
    sample = torch.randn(2, 1, config.image_size, config.image_size)
    timesteps = torch.full((2,), scheduler.num_train_timesteps - 1)
    for _ in range(num_steps):
        sample, timesteps = scheduler.step(model(sample, timesteps), timesteps, sample, stride)
    return sample.clamp(-1, 1)


def train(config: TrainingConfig) -> Tracker:
    torch.manual_seed(config.seed)
    model, scheduler, tracker = Denoiser(), DDIMScheduler(), Tracker()
    loader = build_dataloader(config)
    watch = GradientWatch(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=config.learning_rate)
    total = config.num_epochs * len(loader)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=total)

    global_step = 0
    for epoch in range(config.num_epochs):
        model.train()
        rollout = rollout_length(config, epoch)
        for clean in loader:
            loss = training_loss(model, scheduler, clean, rollout, config.rollout_stride)
            loss.backward()
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            if global_step % config.log_every == 0:
                lr = schedule.get_last_lr()[0]
                values = {"loss": loss.detach().item(), "lr": lr, **watch.summary()}
                tracker.log(values, step=global_step)
            global_step += 1
        model.eval()
        images = sample_images(model, scheduler, config)
        tracker.log({"contrast": images.std().item()}, step=global_step)
    return tracker


if __name__ == "__main__":
    config = TrainingConfig()
    with compiled_autograd._enable(torch.compile(backend=config.backend)):
        tracker = train(config)
    print(f"loss {tracker.last('loss'):.3f} contrast {tracker.last('contrast'):.3f}")
