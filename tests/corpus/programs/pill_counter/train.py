"""Learns to count pills."""

from functools import partial

import torch
from density import DensityNet, counting_loss
from trays import photographed


def make_step(net, optimizer, criterion):
    @torch.compile(backend="eager")
    def objective(trays, centers):
        return criterion(net(trays), centers)

    def step(trays, centers):
        loss = objective(trays, centers)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss.detach()

    return step


def main(steps=10):
    torch.manual_seed(0)
    net = DensityNet()
    optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3)
    step = make_step(net, optimizer, partial(counting_loss, sharpness=2.0))
    losses = torch.stack([step(trays, centers) for trays, centers in photographed(steps)])
    print(f"first {losses[0]:.2f}, last {losses[-1]:.2f}")


if __name__ == "__main__":
    main()
