"""Loops over layers and over a dimension that never varies are unrolled once."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        for i in range(x.shape[1]):
            x = x + x[:, i : i + 1]
        return x.sum()


def main():
    torch.manual_seed(0)
    run = torch.compile(Net().eval(), dynamic=True, backend="aot_eager")
    with torch.no_grad():
        for rows in (6, 9, 12):
            print(rows, round(run(torch.randn(rows, 4)).item(), 4))


main()
