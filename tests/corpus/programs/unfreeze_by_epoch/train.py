"""A feature extractor is unfrozen layer by layer under plain torch.compile."""

import torch
from torch import nn
from torch.nn import functional


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).relu()
        return self.head(x)


def unfreeze(model, count):
    for layer in list(model.layers)[::-1][:count]:
        layer.requires_grad_(True)


def main():
    torch.manual_seed(0)
    net = Classifier()
    net.layers.requires_grad_(False)
    model = torch.compile(net, backend="eager")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(4):
        unfreeze(net, epoch)
        for _ in range(2):
            x, labels = torch.randn(8, 8), torch.randint(0, 4, (8,))
            loss = functional.cross_entropy(model(x), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
