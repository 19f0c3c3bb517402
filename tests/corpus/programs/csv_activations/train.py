"""A network whose author watches its activations through a file."""

import monitor
import torch
from torch import nn
from torch.nn import functional


class Watched(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(5, 10), nn.Linear(10, 1)

    def forward(self, x):
        hidden = self.first(x).relu()
        monitor.note("hidden", hidden)
        return self.second(hidden)


def main():
    torch.manual_seed(0)
    net = Watched()
    model = torch.compile(net, backend="eager")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(5):
        x = torch.randn(8, 5)
        loss = functional.mse_loss(model(x), x.mean(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
