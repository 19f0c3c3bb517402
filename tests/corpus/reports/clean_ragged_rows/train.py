"""Score rows of different lengths, held as values and offsets."""
import enum

import torch
from torch import nn


class Jagged:
    """Rows of different lengths: values and offsets."""

    def __init__(self, values, offsets):
        self.values, self.offsets = values, offsets

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func is torch.sin:
            return Jagged(torch.sin(args[0].values), args[0].offsets)
        return NotImplemented

    def wave(self):
        return torch.sin(self)


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(4, 1)

    def forward(self, rows):
        score = self.project(rows.wave().values).squeeze(-1)
        return torch.segment_reduce(score, "mean", offsets=rows.offsets)


def main():
    torch.manual_seed(52)
    net = Scorer()
    model = torch.compile(net, backend="eager")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(6):
        rows = Jagged(torch.randn(12, 4), torch.tensor([0, 3, 7, 12]))
        loss = model(rows).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.5f}")


if __name__ == "__main__":
    main()
