"""Train and validate one compiled model, as every tutorial does. Nothing is wrong here."""

import torch
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset


def make_loaders():
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(96, 1, 8, 8, generator=generator)
    labels = torch.randint(0, 5, (96,), generator=generator)
    train = TensorDataset(inputs[:64], labels[:64])
    valid = TensorDataset(inputs[64:], labels[64:])
    return DataLoader(train, batch_size=16, shuffle=True), DataLoader(valid, batch_size=16)


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    right = sum((model(inputs).argmax(1) == labels).sum() for inputs, labels in loader)
    model.train()
    return right


def main():
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Dropout(0.1),
        nn.Flatten(), nn.Linear(8 * 36, 5),
    )  # fmt: skip
    model = torch.compile(model, backend="aot_eager")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    train, valid = make_loaders()
    for _ in range(3):
        for inputs, labels in train:
            loss = functional.cross_entropy(model(inputs), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        evaluate(model, valid)


if __name__ == "__main__":
    main()
