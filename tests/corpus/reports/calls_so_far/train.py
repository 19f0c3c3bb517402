"""Running statistics that warm up over the first calls."""
import torch
import torch.nn.functional as F
from torch import nn


class CountedNorm(nn.Module):
    def __init__(self, width, momentum=0.1):
        super().__init__()
        self.seen = 0
        self.momentum = momentum
        self.register_buffer("mean", torch.zeros(width))

    def forward(self, x):
        self.seen += 1
        rate = max(self.momentum, 1 / self.seen)
        self.mean.lerp_(x.detach().mean(0), rate)
        return x - self.mean


def main():
    torch.manual_seed(15)
    net = nn.Sequential(nn.Linear(6, 12), CountedNorm(12), nn.ReLU(), nn.Linear(12, 3))
    model = torch.compile(net, backend="eager")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(12):
        x, y = torch.randn(20, 6), torch.randint(3, (20,))
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.5f}")


if __name__ == "__main__":
    main()
