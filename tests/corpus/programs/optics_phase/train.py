"""Designs a hologram: the phases of a modulator that throw a given picture."""

import argparse

import torch
from modulator import Modulator
from propagation import intensity, kernel, travel
from torch._dynamo import compiled_autograd


def parse(arguments=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--pixels", type=int, default=12)
    parser.add_argument("--levels", type=int, default=8)
    parser.add_argument("--iterations", type=int, default=8)
    parser.add_argument("--lr", type=float, default=0.05)
    return parser.parse_args(arguments)


def disc(pixels):
    at = torch.arange(pixels) - pixels / 2 + 0.5
    return ((at[:, None].square() + at.square()) < (pixels / 4) ** 2).float()


def main():
    options = parse([])
    torch.manual_seed(0)
    target = disc(options.pixels)
    beam = torch.full_like(target, target.mean().sqrt().item())
    modulator, transfer = Modulator(options.pixels, options.levels), kernel(options.pixels)
    optimizer = torch.optim.Adam(modulator.parameters(), lr=options.lr)
    best = float("inf")
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _ in range(options.iterations):
            optimizer.zero_grad()
            picture = intensity(travel(modulator(beam), transfer))
            loss = (picture - target).square().mean()
            loss.backward()
            optimizer.step()
            best = min(best, loss.item())


if __name__ == "__main__":
    main()
