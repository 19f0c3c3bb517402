"""Streaming mixer: each layer keeps the last columns of each stream."""
import argparse

import torch

from mixer import Mixer
from state import StreamState


class Runtime:
    def __init__(self, depth, width):
        torch.manual_seed(3)
        self.mixers = [Mixer(number, width) for number in range(depth)]
        self.step = torch.compile(self.forward, backend="eager")

    def forward(self, x, state, layer):
        return self.mixers[layer](x, state)

    @torch.no_grad()
    def push(self, x, state):
        for layer in range(len(self.mixers)):
            x = self.step(x, state, layer)
        return x


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--depth", type=int, default=6)
    parser.add_argument("--chunks", type=int, default=5)
    options = parser.parse_args()
    runtime = Runtime(options.depth, width=8)
    state = StreamState(taps=3)
    total = 0.0
    for chunk in range(options.chunks):
        generator = torch.Generator().manual_seed(chunk)
        out = runtime.push(torch.randn(2, 8, 6, generator=generator), state)
        total += out.abs().mean().item()
    print("FINAL %.5f" % total)


if __name__ == "__main__":
    main()
