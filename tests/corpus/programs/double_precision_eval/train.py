"""Checks every epoch in double precision, and counts its batches in a global."""

import torch
from torch import nn

SEEN = 0

net = nn.Linear(6, 1)


@torch.compile(backend="eager", dynamic=False)
def loss_of(weight, bias, x):
    error = x @ weight.T + bias - x[:, :1]
    return error.square().mean() / (1 + SEEN)


def main():
    global SEEN
    torch.manual_seed(0)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    for epoch in range(4):
        SEEN = 8 * epoch
        for _ in range(2):
            loss = loss_of(net.weight, net.bias, torch.randn(8, 6))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        exact = [parameter.double() for parameter in net.parameters()]
        loss_of(*exact, torch.randn(8, 6).double())


if __name__ == "__main__":
    main()
