"""A matched filter is learned with random circular shifts. Nothing is wrong here."""

import random

import torch
from torch import nn
from torch._dynamo import compiled_autograd


class Filters(nn.Module):
    def __init__(self, count=4, length=16):
        super().__init__()
        self.taps = nn.Parameter(torch.randn(count, length))
        self.gain = nn.Linear(count, 1)

    def forward(self, signal, shift):
        moved = self.taps.roll(shift, 1)
        return self.gain(signal @ moved.T)


def main():
    random.seed(1)
    torch.manual_seed(0)
    model = Filters()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _ in range(6):
            signal = torch.randn(8, 16)
            shift = random.randrange(2, 15)
            loss = (model(signal, shift) - signal[:, :1]).square().mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)


if __name__ == "__main__":
    main()
