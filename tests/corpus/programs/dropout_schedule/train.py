"""Dropout is lowered while the network learns (curriculum dropout)."""

import torch
from torch import nn
from torch.nn import functional


class Scheduled(nn.Module):
    def __init__(self, width=10):
        super().__init__()
        self.hidden = nn.Linear(6, width)
        self.dropout = nn.Dropout(0.5)
        self.head = nn.Linear(width, 2)

    def forward(self, x):
        return self.head(self.dropout(self.hidden(x).relu()))


def set_dropout(model, epoch):
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.5 * 0.8**epoch


def main():
    torch.manual_seed(0)
    net = Scheduled()
    model = torch.compile(net, backend="eager")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(5):
        set_dropout(net, epoch)
        for _ in range(3):
            x, labels = torch.randn(8, 6), torch.randint(0, 2, (8,))
            loss = functional.cross_entropy(model(x), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
