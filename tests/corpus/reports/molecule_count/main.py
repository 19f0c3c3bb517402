"""Energies of batches of molecules: atoms are summed by molecule index."""
import argparse

import torch

from batches import molecule_batches
from potential import Potential


class Calculator:
    """Front end: wraps the network, compiles it, keeps no state of its own."""

    def __init__(self, net):
        self.net = net
        self.fast = torch.compile(net, backend="eager", dynamic=True)

    @torch.no_grad()
    def energies(self, batch):
        return self.fast(batch.coordinates, batch.owner)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batches", type=int, default=6)
    options = parser.parse_args()
    torch.manual_seed(13)
    calculator = Calculator(Potential(8))
    total = 0.0
    for batch in molecule_batches(options.batches):
        energy = calculator.energies(batch)
        total += energy.sum().item()
        print("%d molecules, mean %.5f" % (batch.molecules, energy.mean().item()))
    print("FINAL %.5f" % total)


if __name__ == "__main__":
    main()
