"""Curriculum: a frozen record of the progress goes with each batch."""
import dataclasses

import torch
import torch.nn.functional as F
from torch import nn


@dataclasses.dataclass(frozen=True)
class Progress:
    epoch: int
    fraction: float


class Curriculum(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.easy = nn.Linear(width, 1)
        self.hard = nn.Linear(width, 1)

    def forward(self, x, progress):
        share = min(1.0, 2 * progress.fraction)
        return (1 - share) * self.easy(x) + share * self.hard(x.square())


def main():
    torch.manual_seed(46)
    net = Curriculum()
    model = torch.compile(net, backend="eager")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.02)
    steps = 12
    for step in range(steps):
        progress = Progress(epoch=step // 4, fraction=step / steps)
        x = torch.randn(16, 8)
        loss = F.mse_loss(model(x, progress), x.sum(-1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.5f}")


if __name__ == "__main__":
    main()
