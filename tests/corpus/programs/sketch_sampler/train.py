"""Trains a denoiser of sketches a little, and draws some."""

import torch
from sampler import Sampler
from schedule import KarrasSchedule
from torch import nn


class Denoiser(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.enter = nn.Conv2d(1, width, 3, padding=1)
        self.middle = nn.Conv2d(width, width, 3, padding=1)
        self.leave = nn.Conv2d(width, 1, 3, padding=1)

    def forward(self, sketch, sigma):
        inward = 1 / (sigma**2 + 0.25) ** 0.5
        hidden = torch.relu(self.enter(inward * sketch))
        hidden = torch.relu(self.middle(hidden))
        return sketch * 0.25 * inward**2 + sigma * inward * 0.5 * self.leave(hidden)


def sketches(count):
    """White circles."""
    place = torch.linspace(-1, 1, 16)
    radius = (place[:, None] ** 2 + place**2).sqrt()
    return torch.exp(-60 * (radius - 0.3 - 0.5 * torch.rand(count, 1, 1, 1)) ** 2)


def main():
    torch.manual_seed(0)
    denoiser = Denoiser()
    optimizer = torch.optim.Adam(denoiser.parameters(), lr=2e-3)
    for _ in range(20):
        clean = sketches(16)
        sigma = torch.exp(torch.randn(16, 1, 1, 1) - 0.5)
        noisy = clean + sigma * torch.randn_like(clean)
        loss = ((denoiser(noisy, sigma) - clean) / sigma).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    sampler = Sampler(denoiser, KarrasSchedule(steps=6))
    drawn = sampler.sample(4, seed=100)
    print(f"loss {loss.item():.3f}, mean {drawn.mean().item():.3f}")


if __name__ == "__main__":
    main()
