"""Trains the autoencoder with an annealed divergence and accumulated gradients."""

import math
from functools import partial

import torch
from model import WaveVAE
from torch._dynamo import compiled_autograd


def waves(generator, count=8, samples=16):
    phases = 2 * math.pi * torch.rand(count, 1, generator=generator)
    return torch.sin(torch.linspace(0, 6, samples) + phases)


def annealed(update, updates):
    return min(1.0, 0.1 + update / updates)


def clamped(gradient, bound):
    return gradient.clamp(-bound, bound)


def main(updates=4, accumulate=2):
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(8)
    model = WaveVAE()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    limit = partial(clamped, bound=torch.tensor(5.0))
    best = math.inf
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for update in range(updates):
            weight = annealed(update, updates)
            for micro in range(accumulate):
                batch = waves(generator)
                handle = model.moments.weight.register_hook(limit)
                rebuilt, divergence = model(batch)
                loss = (rebuilt - batch).square().mean() + weight * divergence
                (loss / accumulate).backward(retain_graph=micro == 0)
                handle.remove()
                best = min(best, loss.item())
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)


if __name__ == "__main__":
    main()
