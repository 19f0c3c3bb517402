"""Lengths vary, and the forward is compiled for that. Nothing is wrong here."""

import torch
from torch import nn
from torch.nn import functional


def main():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 1))
    model = torch.compile(net, backend="eager", dynamic=True)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for length in (9, 14, 11, 30, 22, 7):
        x = torch.randn(4, length, 5)
        loss = functional.mse_loss(model(x).mean(1), x.mean((1, 2))[:, None])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
