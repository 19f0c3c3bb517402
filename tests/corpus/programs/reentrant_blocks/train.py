"""Trains the encoder with checkpointed blocks."""

import argparse

import torch
from encoder import SpectrumEncoder
from torch._dynamo import compiled_autograd
from torch.nn import functional


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--no-checkpointing", action="store_true")
    options = parser.parse_args()

    torch.manual_seed(0)
    model = SpectrumEncoder()
    if not options.no_checkpointing:
        model.enable_checkpointing()
    optimizer = torch.optim.NAdam(model.parameters(), lr=1e-3)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _ in range(options.steps):
            spectra, kinds = torch.rand(8, 20), torch.randint(0, 3, (8,))
            loss = functional.cross_entropy(model(spectra), kinds)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
