"""A bank of prototypes that grows, and a preview of one example after each epoch."""

import torch
from torch import nn
from torch.nn import functional


class Prototypes(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(6, 4)
        self.bank = []

    def forward(self, x):
        code = self.encoder(x)
        distances = [(code - prototype).square().sum(-1) for prototype in self.bank]
        return torch.stack(distances, -1)


def grow(model, x):
    with torch.no_grad():
        model.bank.append(model.encoder(x).mean(0))


def main():
    torch.manual_seed(0)
    net = Prototypes()
    compiled = torch.compile(net, backend="eager")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    grow(net, torch.randn(8, 6))
    for _epoch in range(4):
        grow(net, torch.randn(8, 6))
        for _ in range(2):
            x = torch.randn(8, 6)
            loss = functional.softmin(compiled(x), -1).amax(-1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        compiled(x[0])


if __name__ == "__main__":
    main()
