"""Samples from a denoiser with an image adapter; the repeated blocks are compiled."""

import torch
from adapters import install
from blocks import Denoiser


@torch.no_grad()
def sample(model, steps):
    x = torch.randn(2, 16, 8)
    for _ in range(steps):
        x = x - 0.1 * model(x)
    return x


def main():
    torch.manual_seed(0)
    model = Denoiser().eval()
    install(model, width=8, strongest=0.9)
    model.compile_repeated_blocks(backend="eager", fullgraph=True)
    for _ in range(2):
        sample(model, 5)


if __name__ == "__main__":
    main()
