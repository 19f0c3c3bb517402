"""Trains a network whose features fit in a few bits."""

import random

import torch
from kitchen import KINDS, Bowls, steamed
from quantize import rounding
from torch import nn
from torch._dynamo import compiled_autograd
from torch.utils.data import DataLoader


class Taste(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.few = None
        self.scan = nn.Conv2d(3, width, 3, bias=False)
        self.out = nn.Linear(width, len(KINDS))

    def forward(self, pictures):
        features = torch.sigmoid(self.scan(pictures))
        return self.out(self.few(features).mean((2, 3)))

    def use_bits(self, bits):
        self.few = rounding(2**bits)


def main(bits_of_epochs=(5, 4, 3)):
    torch.manual_seed(36)
    draw = random.Random(1)
    taste = Taste()
    loader = DataLoader(Bowls(24), batch_size=6, shuffle=True, drop_last=True)
    optimizer = torch.optim.Adam(taste.parameters(), lr=0.02)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for bits in bits_of_epochs:
            taste.use_bits(bits)
            for pictures, kind in loader:
                if draw.random() < 0.5:
                    pictures = steamed(pictures)
                loss = nn.functional.cross_entropy(taste(pictures), kind)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


if __name__ == "__main__":
    main()
