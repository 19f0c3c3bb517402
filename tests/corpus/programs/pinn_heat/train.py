"""A physics-informed network; the network is compiled, the derivatives are not."""

import points
import torch
from physics import initial, residual
from torch import nn


def main():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 20), nn.Tanh(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 1))
    field = torch.compile(net, backend="eager")
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(5):
        at_start = points.start()
        terms = [
            residual(field, points.inside()),
            field(points.ends()).square().mean(),
            (field(at_start) - initial(at_start)).square().mean(),
        ]
        optimizer.zero_grad()
        sum(terms).backward()
        optimizer.step()


if __name__ == "__main__":
    main()
