"""A fit that says in its own words what went wrong."""

import torch
import torch.nn as nn


class FitError(RuntimeError):
    """A step did not succeed."""


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        h = self.linear(x)
        if h.sum().item() > 0:
            h = h * 0.5
        return h


def take_step(model, x, number):
    try:
        return model(x).square().mean()
    except Exception as error:
        raise FitError(f"step {number} failed") from error


def main():
    torch.manual_seed(20)
    net = Net()
    model = torch.compile(net, backend="eager", fullgraph=True)
    for number in range(3):
        loss = take_step(model, torch.randn(3, 4), number)
        loss.backward()
    print(f"FINAL {loss.item():.5f}")


if __name__ == "__main__":
    main()
