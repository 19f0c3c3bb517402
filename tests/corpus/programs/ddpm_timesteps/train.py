"""Draws samples by two schedulers."""

import torch
from schedulers import SCHEDULERS
from unet import NoiseNet


@torch.no_grad()
def sample(net, scheduler, shape):
    x = torch.randn(shape)
    for t, following in scheduler:
        x = scheduler.step(x, net(x, t), t, following)
    return x


def main():
    torch.manual_seed(0)
    net = torch.compile(NoiseNet().eval(), backend="eager")
    for name in ("ddim", "ancestral"):
        scheduler = SCHEDULERS[name](timesteps=60, steps=12)
        sample(net, scheduler, (3, 2, 10))


if __name__ == "__main__":
    main()
