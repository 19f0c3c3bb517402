"""Train a class-conditional diffusion model on small sprites."""

import random

import torch
from diffusion import GaussianDiffusion
from ema import EMA
from torch._dynamo import compiled_autograd
from unet import Unet


def cycle(images, classes, batch_size):
    while True:
        for index in torch.randperm(len(images)).split(batch_size):
            yield images[index], classes[index]


def main(train_num_steps=20, batch_size=8):
    random.seed(1)
    torch.manual_seed(0)
    images, classes = torch.rand(64, 3, 8, 8) * 2 - 1, torch.randint(0, 4, (64,))
    diffusion = GaussianDiffusion(Unet())
    ema = EMA(diffusion)
    opt = torch.optim.Adam(diffusion.parameters(), lr=8e-4, betas=(0.9, 0.99))
    batches = cycle(images, classes, batch_size)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(train_num_steps):
            loss = diffusion(*next(batches))
            loss.backward()
            torch.nn.utils.clip_grad_norm_(diffusion.parameters(), 1.0)
            opt.step()
            opt.zero_grad()
            ema.update()
            if step % 5 == 0:
                print(f"{step}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
