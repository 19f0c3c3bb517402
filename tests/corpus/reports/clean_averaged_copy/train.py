"""Train a compiled classifier and evaluate a slowly moving copy of it."""
import copy

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(20, 10)
        self.second = nn.Linear(10, 4)

    def forward(self, x):
        return self.second(F.relu(self.first(torch.flatten(x, 1))))


@torch.no_grad()
def follow(average, net, decay=0.9):
    for slow, fast in zip(average.parameters(), net.parameters()):
        slow.lerp_(fast, 1 - decay)


def main():
    torch.manual_seed(49)
    model = torch.compile(Net(), backend="eager")
    average = copy.deepcopy(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.randn(64, 4, 5), torch.randint(4, (64,))
    for step in range(6):
        batch = torch.randperm(64)[:16]
        loss = F.cross_entropy(model(x[batch]), y[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        follow(average, model)
    check = F.cross_entropy(average(x[:16]), y[:16])
    print(f"loss {loss.item():.5f} averaged {check.item():.5f}")


if __name__ == "__main__":
    main()
