"""Regularise a residual net by leaving out layers at random."""
import random

import torch
import torch.nn.functional as F
from torch import nn


class DropNet(nn.Module):
    def __init__(self, width=12, depth=3, drop=0.3):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.head = nn.Linear(width, 3)
        self.drop = drop

    def forward(self, x):
        for layer in self.layers:
            if self.training and random.random() < self.drop:
                continue
            x = x + F.gelu(layer(x))
        return self.head(x)


def main():
    random.seed(1)
    torch.manual_seed(36)
    net = DropNet()
    model = torch.compile(net, backend="eager")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(10):
        x, y = torch.randn(16, 12), torch.randint(3, (16,))
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.5f}")


if __name__ == "__main__":
    main()
