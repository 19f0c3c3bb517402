# Reptile (Nichol et al. 2018) on stencilled alphabets; one head for the letters of all of them.
import copy
import random

import torch
from torch import nn

ALPHABETS, LETTERS = 6, 4
SUPPORT, DIM = 24, 10


def make_task(rng, gen, prototypes):
    alphabet = rng.randrange(ALPHABETS)
    labels = torch.randint(LETTERS, (SUPPORT,), generator=gen)
    strokes = prototypes[alphabet, labels]
    inputs = strokes + 0.5 * torch.randn(SUPPORT, DIM, generator=gen)
    return inputs, labels, alphabet


def task_loss(net, inputs, labels, alphabet):
    first = alphabet * LETTERS
    logits = net(inputs)[:, first : first + LETTERS]
    return nn.functional.cross_entropy(logits, labels)


def adapt(net, task, inner_steps=3, inner_lr=0.1):
    fast = copy.deepcopy(net)
    sgd = torch.optim.SGD(fast.parameters(), lr=inner_lr)
    for _ in range(inner_steps):
        loss = task_loss(fast, *task)
        sgd.zero_grad()
        loss.backward()
        sgd.step()
    return fast, loss.detach()


def main():
    torch.manual_seed(2)
    rng, gen = random.Random(7), torch.Generator().manual_seed(2)
    prototypes = 2 * torch.randn(ALPHABETS, LETTERS, DIM, generator=gen)
    net = nn.Sequential(nn.Linear(DIM, 32), nn.Tanh(), nn.Linear(32, ALPHABETS * LETTERS))
    meta_lr, meta_steps = 0.5, 16
    for it in range(meta_steps):
        fast, loss = adapt(net, make_task(rng, gen, prototypes))
        frac = meta_lr * (1 - it / meta_steps)
        with torch.no_grad():
            for slow, quick in zip(net.parameters(), fast.parameters(), strict=True):
                slow.lerp_(quick, frac)
        print(f"{it:2d} loss after adapting {loss.item():.4f}")


if __name__ == "__main__":
    main()
