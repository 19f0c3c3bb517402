"""Finds decay on X-rays, whichever way up they were scanned."""

import torch
from clinics import Downtown, Harbour
from torch import nn
from torch.nn import functional


class Finder(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, width, 3), nn.ReLU(), nn.Conv2d(width, width, 3), nn.ReLU()
        )
        self.head = nn.Linear(width, 2)

    def forward(self, image, turns):
        turned = torch.rot90(image, turns, (2, 3))
        return self.head(self.body(turned).mean((2, 3)))


def weighted_loss(finder, visit):
    logits = finder(visit.image, visit.turns)
    losses = functional.cross_entropy(logits, visit.decayed, reduction="none")
    return (losses * visit.confidence).mean()


def main(rounds=8):
    torch.manual_seed(3)
    finder = Finder()
    optimizer = torch.optim.SGD(finder.parameters(), lr=0.1, momentum=0.9)
    compiled = torch.compile(weighted_loss, backend="eager")
    clinics = [Downtown(seed=5), Harbour(seed=6)]
    for number in range(rounds):
        loss = compiled(finder, clinics[number % len(clinics)].visit())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
