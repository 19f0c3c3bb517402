"""Trains a class-conditional denoiser on pictures of sponges; some labels are dropped."""

import argparse
import random

import torch
import torch.nn.functional as F
from ema import EMAModel
from scheduling import DDPMScheduler
from torch.utils.data import DataLoader, TensorDataset
from unet import UNet2DModel, UNetConfig


def parse_args():
    parser = argparse.ArgumentParser(description="Simple example of a training script.")
    parser.add_argument("--resolution", type=int, default=8)
    parser.add_argument("--train_batch_size", type=int, default=8)
    parser.add_argument("--num_epochs", type=int, default=3)
    parser.add_argument("--ddpm_num_inference_steps", type=int, default=10)
    parser.add_argument("--proportion_empty_labels", type=float, default=0.25)
    parser.add_argument("--learning_rate", type=float, default=1e-3)
    parser.add_argument("--max_grad_norm", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=4)
    return parser.parse_args()


def sponges(count, resolution, generator):
    labels = torch.randint(0, 4, (count,), generator=generator)
    grid = torch.linspace(0, 6.28, resolution)
    waves = torch.sin(grid[None, :, None] * (labels + 1)[:, None, None] + grid[None, None, :])
    return TensorDataset((waves > 0.3).float().unsqueeze(1) * 2 - 1, labels)


@torch.no_grad()
def sample_images(model, scheduler, num_inference_steps, labels, resolution):
    model.eval()
    scheduler.set_timesteps(num_inference_steps)
    image = torch.randn(len(labels), 1, resolution, resolution)
    for t in scheduler.timesteps:
        noise_pred = model(image, t, labels).sample
        image = scheduler.step(noise_pred, t, image)
    model.train()
    return image


def main(args):
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    generator = torch.Generator().manual_seed(args.seed)
    dataset = sponges(60, args.resolution, generator)
    loader = DataLoader(
        dataset, batch_size=args.train_batch_size, shuffle=True, drop_last=True, generator=generator
    )
    noise_scheduler = DDPMScheduler()
    unet = UNet2DModel(UNetConfig())
    ema_model = EMAModel(unet.parameters())
    optimizer = torch.optim.AdamW(unet.parameters(), lr=args.learning_rate)
    model = torch.compile(unet, backend="aot_eager")

    global_step = 0
    for epoch in range(args.num_epochs):
        model.train()
        for clean_images, labels in loader:
            noise = torch.randn_like(clean_images)
            timesteps = torch.randint(0, noise_scheduler.num_train_timesteps, labels.shape)
            noisy_images = noise_scheduler.add_noise(clean_images, noise, timesteps)
            if random.random() < args.proportion_empty_labels:
                labels = None
            model_output = model(noisy_images, timesteps, labels).sample
            loss = F.mse_loss(model_output, noise)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), args.max_grad_norm)
            optimizer.step()
            optimizer.zero_grad()
            ema_model.step(unet.parameters())
            global_step += 1
        logs = {"loss": round(loss.item(), 4), "ema_decay": round(ema_model.get_decay(), 4)}
        print(f"epoch {epoch} step {global_step} {logs}")

    ema_model.store_and_copy_to(unet.parameters())
    images = sample_images(
        model,
        noise_scheduler,
        args.ddpm_num_inference_steps,
        torch.arange(args.train_batch_size) % 4,
        args.resolution,
    )
    ema_model.restore(unet.parameters())
    print(f"samples {images.mean():.3f} ± {images.std():.3f}")


if __name__ == "__main__":
    main(parse_args())
