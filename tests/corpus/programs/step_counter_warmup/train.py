"""A short training run with a validation after every epoch."""

import torch
from model import Net
from torch.nn import functional


def main():
    torch.manual_seed(0)
    net = Net()
    step = torch.compile(net, backend="eager")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    inputs, labels = torch.randn(64, 8), torch.randint(0, 3, (64,))
    for _epoch in range(2):
        for rows in torch.randperm(64).split(16):
            loss = functional.cross_entropy(step(inputs[rows]), labels[rows])
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    main()
