"""Learns what two records of one walk have in common."""

import torch
from norm import RunningNorm
from torch import nn
from torch.nn import functional

AXES = 3


class Gait(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.norm = RunningNorm(AXES)
        self.scan = nn.Conv1d(AXES, width, 5, padding=2)
        self.out = nn.Linear(width, width)

    def features(self, walk):
        return functional.normalize(self.out(self.scan(walk.mT).amax(-1)), dim=-1)

    def forward(self, walk, other):
        one, two = self.features(self.norm(walk)), self.features(other)
        return functional.cross_entropy(one @ two.mT / 0.1, torch.arange(len(one)))


class Shake:
    """The dog shakes itself more as training goes on, at first not at all."""

    def __init__(self, strength):
        self.strength = strength

    def __call__(self, walk, epoch):
        if epoch == 0:
            return walk
        return walk + epoch * self.strength * torch.randn_like(walk)


def main(epochs=3, walks=2):
    torch.manual_seed(13)
    gait, shake = Gait(), Shake(0.05)
    objective = torch.compile(gait, backend="eager")
    optimizer = torch.optim.AdamW(gait.parameters(), lr=3e-3)
    for epoch in range(epochs):
        for _ in range(walks):
            walk = torch.randn(8, 30, AXES).cumsum(1)
            loss = objective(walk, shake(walk, epoch))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
