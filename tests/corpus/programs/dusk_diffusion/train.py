"""Skies at dusk, in sixteen by sixteen pixels."""

import torch
from trainer import GaussianDiffusion, Trainer
from unet import Unet


def skies(count, size=16, seed=9):
    g = torch.Generator().manual_seed(seed)
    height = torch.linspace(0, 1, size).view(1, 1, size, 1)
    top, low = torch.rand(2, count, 3, 1, 1, generator=g)
    sky = top * height + low * (1 - height)
    return (2 * sky - 1).expand(count, 3, size, size).contiguous()


if __name__ == "__main__":
    torch.manual_seed(21)
    with torch._dynamo.compiled_autograd._enable(torch.compile(backend="eager")):
        Trainer(GaussianDiffusion(Unet()), skies(64)).train()
