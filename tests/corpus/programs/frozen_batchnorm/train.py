"""Batch normalization is frozen for the second half of the training, by eval()."""

import torch
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 10)
        self.norm = nn.BatchNorm1d(10)
        self.second = nn.Linear(10, 2)

    def forward(self, x):
        return self.second(self.norm(self.first(x)).relu())


@torch.no_grad()
def accuracy(model, x, labels):
    model.eval()
    right = (model(x).argmax(1) == labels).float().mean()
    model.train()
    return right


def main():
    torch.manual_seed(0)
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(6):
            x, labels = torch.randn(8, 6), torch.randint(0, 2, (8,))
            if step >= 3:
                model.norm.eval()
            functional.cross_entropy(model(x), labels).backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)
            accuracy(model, x, labels)


if __name__ == "__main__":
    main()
