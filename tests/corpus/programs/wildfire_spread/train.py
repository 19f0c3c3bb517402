"""Fits rates of spread, looking further ahead every few steps."""

import argparse

import torch
from grid import Landscape, Spread
from rollout import mismatch, total_variation

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=12)
parser.add_argument("--further-every", type=int, default=3)
parser.add_argument("--lr", type=float, default=2e-2)


def main(options):
    torch.manual_seed(0)
    land = Landscape()
    spread = Spread()
    spread.forward = torch.compile(spread.forward, backend="eager")
    objective = torch.compile(
        lambda maps, wanted: mismatch(maps, wanted) + 0.1 * total_variation(maps),
        backend="eager",
    )
    optimizer = torch.optim.Adam(spread.parameters(), lr=options.lr)
    for step in range(options.steps):
        maps = [land.start]
        for _ in range(2 + step // options.further_every):
            maps.append(spread(maps[-1], land.moisture))
        loss = objective(maps, land.observed())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main(parser.parse_args())
