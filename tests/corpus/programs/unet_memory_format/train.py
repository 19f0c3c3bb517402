"""Denoising diffusion; photographs come channels-last from the decoder, drawings do not."""

import torch
from torch._dynamo import compiled_autograd
from torch.nn import functional
from unet import UNet


def load(step):
    pictures = torch.rand(4, 3, 8, 8)
    if step % 3 == 2:
        pictures = pictures.to(memory_format=torch.channels_last)
    return pictures


def main():
    torch.manual_seed(0)
    model = UNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(7):
            pictures, t = load(step), torch.rand(4)
            noise = torch.randn_like(pictures)
            level = t[:, None, None, None]
            noisy = (1 - level) * pictures + level * noise
            loss = functional.mse_loss(model(noisy, t), noise)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)


if __name__ == "__main__":
    main()
