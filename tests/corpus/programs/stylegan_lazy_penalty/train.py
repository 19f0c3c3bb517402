"""Adversarial training with a lazy penalty: every fourth step, in a step of its own."""

import argparse

import torch
from losses import discriminator_loss, generator_loss, penalty
from nets import discriminator, generator
from torch._dynamo import compiled_autograd


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--penalty-every", type=int, default=4)
    parser.add_argument("--penalty-weight", type=float, default=5.0)
    return parser.parse_args()


def stepped(optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def main():
    options = parse()
    torch.manual_seed(0)
    g, d = generator(), discriminator()
    learn_g = torch.optim.Adam(g.parameters(), lr=1e-3, betas=(0.0, 0.99))
    learn_d = torch.optim.Adam(d.parameters(), lr=1e-3, betas=(0.0, 0.99))
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(options.steps):
            real = torch.randn(16, 2).sign() + 0.1 * torch.randn(16, 2)
            with torch.no_grad():
                fake = g(torch.randn(16, 4))
            stepped(learn_d, discriminator_loss(d(real), d(fake)))
            if step % options.penalty_every == 0:
                weight = options.penalty_weight * options.penalty_every * 0.9**step
                stepped(learn_d, weight * penalty(d, real))
            d.requires_grad_(False)
            stepped(learn_g, generator_loss(d(g(torch.randn(16, 4)))))
            d.requires_grad_(True)


if __name__ == "__main__":
    main()
