"""Trains a variational autoencoder of dunes."""

import torch
from fields import heights
from generator import TextureVae


def elbo(texture, wanted, mean, log_std, beta=0.01):
    divergence = 0.5 * (mean.square() + (2 * log_std).exp() - 1) - log_std
    return (texture - wanted).square().mean() + beta * divergence.mean()


def main():
    torch.manual_seed(0)
    vae = TextureVae()
    vae.compile(backend="eager")
    optimizer = torch.optim.Adam(vae.parameters(), lr=2e-3)
    for wanted in heights(10):
        texture, mean, log_std = vae(wanted)
        loss = elbo(texture, wanted, mean, log_std)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
