"""Pretrains an encoder on two noisy views, then watches a probe every few steps."""

import math

import torch
from moco import Moco
from torch import nn
from torch._dynamo import compiled_autograd


def views(x):
    return x + 0.1 * torch.randn_like(x), x.roll(1, 1) + 0.1 * torch.randn_like(x)


def cosine(step, steps, low, high):
    return low + (high - low) * (1 + math.cos(math.pi * step / steps)) / 2


@torch.no_grad()
def spread(encoder, data):
    encoder.eval()
    value = encoder(data).std(0).mean().item()
    encoder.train()
    return value


def main(steps=12):
    torch.manual_seed(0)
    encoder = nn.Sequential(nn.Linear(6, 24), nn.Dropout(0.1), nn.ReLU(), nn.Linear(24, 8))
    moco = Moco(encoder)
    optimizer = torch.optim.SGD(encoder.parameters(), lr=0.05, momentum=0.9)
    probe = torch.randn(20, 6)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(steps):
            moco.temperature = cosine(step, steps, 0.1, 0.3)
            loss = moco(*views(torch.randn(8, 6)), momentum=cosine(step, steps, 0.99, 0.9))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            if step % 3 == 2:
                spread(encoder, probe)


if __name__ == "__main__":
    main()
