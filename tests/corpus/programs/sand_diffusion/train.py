"""DDPM on synthetic dunes."""

import torch
from schedule import CosineSchedule
from trainer import Trainer, TrainingConfig
from unet import UNet


def dunes(config, seed=0):
    generator = torch.Generator().manual_seed(seed)
    y, x = torch.meshgrid(*2 * [torch.linspace(0, 6.28, config.size)], indexing="ij")
    while True:
        wave, tilt, shift = torch.rand(3, config.batch_size, 1, 1, generator=generator)
        height = torch.sin((1 + 2 * wave) * x + tilt * y + 6.28 * shift)
        yield height[:, None]


def main():
    torch.manual_seed(42)
    config = TrainingConfig()
    unet = UNet(grad_checkpointing=True)
    trainer = Trainer(unet, CosineSchedule(), config)
    trainer.fit(dunes(config))


if __name__ == "__main__":
    main()
