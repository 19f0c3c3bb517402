"""Sorts lamps into kinds, with a price on the side."""

import random

import torch
from augment import POOL
from catalog import pages
from torch import nn
from torch.nn import functional as F


class LampNet(nn.Module):
    def __init__(self, width=20):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(9, width), nn.GELU(), nn.LayerNorm(width))
        self.kind, self.price = nn.Linear(width, 4), nn.Linear(width, 1)

    def losses(self, lamps, augment):
        hidden = self.body(augment(lamps.features))
        loss = F.cross_entropy(self.kind(hidden), lamps.kind)
        if lamps.price is not None:
            loss = loss + 0.1 * F.l1_loss(self.price(hidden).squeeze(-1), lamps.price)
        return loss

    forward = losses


def main(count=18):
    torch.manual_seed(23)
    random.seed(1)
    net = LampNet()
    losses = torch.compile(net, backend="eager")
    optimizer = torch.optim.RAdam(net.parameters(), lr=0.01)
    for lamps in pages(count):
        loss = losses(lamps, random.choice(POOL))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"{loss.item():.3f}")


if __name__ == "__main__":
    main()
