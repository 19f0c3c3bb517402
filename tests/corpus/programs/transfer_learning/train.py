"""A frozen backbone is unfrozen after the first epoch; gradients accumulate over two batches."""

import torch
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset


class Transfer(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Linear(6, 10)
        self.head = nn.Linear(10, 3)

    def freeze(self, frozen):
        for parameter in self.backbone.parameters():
            parameter.requires_grad_(not frozen)

    def forward(self, x):
        return self.head(self.backbone(x).relu())


def main():
    torch.manual_seed(0)
    model = Transfer()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    dataset = TensorDataset(torch.randn(32, 6), torch.randint(0, 3, (32,)))
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(3):
            model.freeze(epoch == 0)
            for number, (x, labels) in enumerate(loader, start=1):
                loss = functional.cross_entropy(model(x), labels) / 2
                loss.backward()
                if number % 2 == 0:
                    optimizer.step()
                    optimizer.zero_grad()


if __name__ == "__main__":
    main()
