"""Activation packing: big steps keep fewer bytes of the forward pass."""
import argparse

import torch

from packing import Packer
from stack import Stack


class Loop:
    def __init__(self, options):
        torch.manual_seed(33)
        self.net = Stack(width=6, depth=4)
        self.packer = Packer(levels=[40, 80, 120, 160])
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.05)

    def step(self, tokens):
        x = torch.randn(8, 6)
        share = self.packer.layers_for(tokens)
        out = self.net(x, self.packer, share)
        loss = out.square().mean()
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return loss.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=10)
    options = parser.parse_args()
    loop = Loop(options)
    sizes = [30, 130, 50, 90, 30, 170, 130, 50, 90, 170]
    total = 0.0
    for index in range(options.steps):
        total += loop.step(sizes[index % len(sizes)])
    print("FINAL %.5f" % total)


if __name__ == "__main__":
    main()
