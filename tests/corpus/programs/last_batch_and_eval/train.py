"""A convolutional classifier; validation runs in eval mode under inference_mode."""

import torch
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 6, 3)
        self.norm = nn.BatchNorm2d(6)
        self.head = nn.Linear(6, 3)

    def forward(self, pictures):
        return self.head(self.norm(self.conv(pictures)).relu().mean((2, 3)))


def fit(model, loader, optimizer):
    model.train()
    for pictures, labels in loader:
        loss = functional.cross_entropy(model(pictures), labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()


@torch.inference_mode()
def validate(model, pictures):
    model.eval()
    return model(pictures).argmax(1)


def main():
    torch.manual_seed(0)
    dataset = TensorDataset(torch.randn(29, 1, 8, 8), torch.randint(0, 3, (29,)))
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    net = Net()
    model = torch.compile(net, backend="aot_eager")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    held_out = torch.randn(8, 1, 8, 8)
    for _ in range(2):
        fit(model, loader, optimizer)
        validate(model, held_out)


if __name__ == "__main__":
    main()
