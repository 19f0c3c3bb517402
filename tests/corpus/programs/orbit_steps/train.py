"""Learns the force that keeps planets on their orbits."""

from dataclasses import asdict, dataclass

import torch
from dynamics import Force, follow, orbits
from torch._dynamo import compiled_autograd


@dataclass
class Horizon:
    """How far ahead the orbits are followed; training begins with a short one."""

    first: int = 2
    last: int = 4
    patience: int = 3

    def steps(self, iteration):
        return min(self.first + iteration // self.patience, self.last)


def train(horizon, iterations=9, lr=1e-2):
    force = Force()
    optimizer = torch.optim.Adam(force.parameters(), lr=lr)
    for iteration in range(iterations):
        steps = horizon.steps(iteration)
        place, speed, wanted = orbits(16, steps)
        followed = follow(force, place, speed, dt=0.1, steps=steps)
        loss = (followed - wanted).square().sum(-1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    torch.manual_seed(0)
    horizon = Horizon()
    with compiled_autograd._enable(torch.compile(backend="eager")):
        print(asdict(horizon), f"{train(horizon):.5f}")


if __name__ == "__main__":
    main()
