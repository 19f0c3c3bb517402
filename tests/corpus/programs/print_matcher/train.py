"""Trains a siamese network on fingerprints, and looks at what it looks at."""

import random

import torch
from matcher import Matcher
from views import augment


def pairs(count, batch=6, side=15):
    rows = torch.arange(side).view(1, 1, -1, 1)
    for _ in range(count):
        ridges = 1 + torch.rand(batch, 1, 1, 1)
        prints = torch.sin(ridges * rows).expand(-1, -1, -1, side) + 0.1 * torch.randn(side)
        same = torch.rand(batch) < 0.7
        yield prints, augment(prints), same


class Trainer:
    def __init__(self, model):
        self.model, self.step = model, 0
        self.attention = torch.zeros(())

    @property
    def inspects(self):
        return self.step % 4 == 3

    def fit(self, batches):
        optimizer = None
        for prints, others, same in batches:
            prints.requires_grad_(self.inspects)
            loss = self.model(prints, others, same)
            if optimizer is None:
                optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if self.inspects:
                self.attention = prints.grad.abs().mean((0, 1))
            self.step += 1


def main():
    random.seed(2)
    torch.manual_seed(2)
    trainer = Trainer(Matcher())
    trainer.fit(pairs(16))
    print(f"{trainer.attention.max().item():.4f}")


if __name__ == "__main__":
    main()
