"""Trains a doorbell's classifier of sounds for an 8-bit chip."""

import torch
from config import QATConfig
from quantize import QuantLinear
from torch import nn
from torch._dynamo import compiled_autograd
from torch.utils.data import DataLoader, TensorDataset


def build(config, features=24, classes=4):
    return nn.Sequential(
        QuantLinear(features, 32, config=config),
        nn.ReLU(),
        QuantLinear(32, 16, config=config),
        nn.ReLU(),
        QuantLinear(16, classes, config=config),
    )


def sounds(count=40, features=24, classes=4):
    labels = torch.randint(0, classes, (count,))
    return TensorDataset(torch.randn(count, features) + labels.unsqueeze(1), labels)


def train_one_epoch(model, criterion, optimizer, loader):
    model.train()
    for features, labels in loader:
        loss = criterion(model(features), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@torch.no_grad()
def evaluate(model, dataset):
    model.eval()
    features, labels = dataset.tensors
    return (model(features).argmax(1) == labels).float().mean().item()


def main():
    torch.manual_seed(3)
    config = QATConfig()
    dataset = sounds()
    loader = DataLoader(dataset, batch_size=config.batch_size, shuffle=True)
    model = build(config)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=config.lr, momentum=0.9)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(config.epochs):
            config.on_epoch_start(epoch)
            train_one_epoch(model, criterion, optimizer, loader)
            print(f"epoch {epoch}: {evaluate(model, dataset):.2f}")


if __name__ == "__main__":
    main()
